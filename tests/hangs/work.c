/* Uses each device in turn, says where it is, and compares what it computed there with what the host computes. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { STEPS = 60000000, TURNS = 2, MANY = 1 << 20, COPIES = 24 };

static uint32_t x[MANY];

static void says(const char *place)
{
    puts(place);
    fflush(stdout);
}

#pragma omp begin declare target
static uint32_t steps(uint32_t sum)
{
    for (uint32_t i = 0; i < STEPS; i++) sum = sum * 1664525u + 1013904223u;
    return sum;
}
#pragma omp end declare target

int main(void)
{
    const int devices = omp_get_num_devices();
    uint32_t sum = 1, expected = 1;
    int wrong = 0;
    says("started");
    for (int d = 0; d < devices; d++) {
        #pragma omp target device(d)
        { }
    }
    says("computing");
    for (int turn = 0; turn < TURNS * devices; turn++) {
        #pragma omp target device(turn % devices) map(tofrom: sum)
        sum = steps(sum);
        expected = steps(expected);
    }
    says("copying");
    for (int d = 0; d < devices; d++) {
        #pragma omp target data device(d) map(tofrom: x)
        for (int copy = 0; copy < COPIES; copy++) {
            for (int i = copy; i < MANY; i += 4099) x[i] += i;
            #pragma omp target update device(d) to(x)
            #pragma omp target device(d) map(x)
            for (int i = copy; i < MANY; i += 4099) x[i] += 1;
            #pragma omp target update device(d) from(x)
        }
    }
    for (int i = 0; i < MANY; i++) {
        uint32_t whole = 0;
        for (int copy = 0; copy < COPIES; copy++) whole += i >= copy && (i - copy) % 4099 == 0 ? i + 1 : 0;
        wrong += x[i] != whole * devices;
    }
    says("ending");
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL); /* who ends at once is hit by nobody */
    puts(wrong != 0 || sum != expected ? "wrong" : "right");
    return 0;
}
