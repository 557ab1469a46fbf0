/* What a device can be asked for, once each; the same text on every device, and once without one. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 3000
#define BIG 3000000

typedef struct {
    int n;
    double *values;
} series;

#pragma omp declare target
int counter = 40;
double table[4] = {1, 2, 3, 4};
double square(double x) { return x * x + table[1]; }
const char *word = "constant" + 1;
struct { const char *name; double (*apply)(double); } tools[] = {{"none", 0}, {"square", square}};
#pragma omp end declare target

static void mapped(int device)
{
    static int in[N], out[N], both[N];
    for (int i = 0; i < N; i++) in[i] = i, out[i] = -1, both[i] = 3 * i;
    #pragma omp target teams distribute parallel for device(device) map(to: in) map(from: out) map(tofrom: both)
    for (int i = 0; i < N; i++) {
        out[i] = 2 * in[i];
        both[i] += in[i];
    }
    long sum = 0;
    for (int i = 0; i < N; i++) sum += out[i] + 5L * both[i];
    printf("mapped %ld\n", sum);
}

static void pointers(int device)
{
    series s = {N, malloc(N * sizeof(double))};
    for (int i = 0; i < N; i++) s.values[i] = i;
    double sum = 0;
    #pragma omp target map(tofrom: s.values[0:s.n]) map(to: s.n) map(tofrom: sum) device(device)
    for (int i = 0; i < s.n; i++) {
        s.values[i] = square(s.values[i]);
        sum += s.values[i];
    }
    printf("pointers %.0f %.0f\n", sum, s.values[N - 1]);
    free(s.values);
}

static void globals(int device)
{
    int seen = 0, led = 0;
    #pragma omp target map(from: seen, led) device(device)
    {
        counter += 2;
        seen = counter;
        led = word[2] + tools[1].name[3] + (int)tools[1].apply(3) + (tools[1].apply == square);
    }
    printf("led to %d\n", led);
    #pragma omp target update from(counter) device(device)
    printf("globals %d %d\n", seen, counter);
    counter = 40;
    #pragma omp target update to(counter) device(device)
}

static void sections(int device)
{
    static double grid[60][50];
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 50; j++) grid[i][j] = i * 50 + j + 1;
    #pragma omp target enter data map(to: grid) device(device)
    #pragma omp target device(device)
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 50; j++) grid[i][j] = -grid[i][j];
    #pragma omp target update from(grid[10:5]) device(device)
#ifdef OMPLS_OMP_H
    #pragma omp target update from(grid[0:30:2][7:3]) device(device)
#else /* gcc has no strides */
    for (int i = 0; i < 60; i += 2) {
        #pragma omp target update from(grid[i][7:3]) device(device)
    }
#endif
    double sum = 0;
    int others = 0, negative = 0; /* none of them where the device has memory of its own, else all */
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 50; j++) {
            bool updated = (i >= 10 && i < 15) || (i % 2 == 0 && j >= 7 && j < 10);
            if (updated) sum += grid[i][j] * (1 + i % 3);
            else others++, negative += grid[i][j] < 0;
        }
    #pragma omp target exit data map(release: grid) device(device)
    printf("sections %.0f %d\n", sum, negative == 0 || negative == others);
}

static void large(int device)
{
    char *data = malloc(BIG);
    for (long i = 0; i < BIG; i++) data[i] = (char)(i % 101);
    #pragma omp target teams distribute parallel for map(tofrom: data[0:BIG]) device(device)
    for (long i = 0; i < BIG; i++) data[i] = (char)(data[i] + i % 7);
    unsigned long sum = 0;
    for (long i = 0; i < BIG; i++) sum = sum * 31 + (unsigned char)data[i];
    printf("large %lu\n", sum);
    free(data);
}

static void routines(int device)
{
    int host = omp_get_initial_device(), next = device + 1 < omp_get_num_devices() ? device + 1 : 0, here[100], back[100];
    for (int i = 0; i < 100; i++) here[i] = i * i, back[i] = 0;
    int *there = omp_target_alloc(sizeof here, device), *copy = omp_target_alloc(sizeof here, next);
    if (there == NULL || copy == NULL) exit(9);
    int failed = omp_target_memcpy(there, here, sizeof here, 0, 0, device, host);
    #pragma omp target is_device_ptr(there) device(device)
    for (int i = 0; i < 100; i++) there[i] += 1;
    failed |= omp_target_memcpy(copy, there, 60 * sizeof *here, 10 * sizeof *here, 20 * sizeof *here, next, device);
    failed |= omp_target_memcpy(back, copy, 60 * sizeof *here, 0, 10 * sizeof *here, host, next);
    if (failed) exit(125);
    omp_target_free(there, device);
    omp_target_free(copy, next);
    printf("routines %d %d %d\n", back[0], back[59], back[60]);
}

static void tasks(int device)
{
    enum { PARTS = 8, EACH = 4000 };
    static double part[PARTS][EACH];
    double sums[PARTS] = {0};
    for (int p = 0; p < PARTS; p++) {
        double *mine = part[p], *sum = &sums[p];
        #pragma omp target enter data map(alloc: mine[0:EACH]) nowait depend(out: mine[0]) device(device)
        #pragma omp target map(mine[0:EACH]) firstprivate(p) nowait depend(inout: mine[0]) device(device)
        for (int i = 0; i < EACH; i++) mine[i] = p + i;
        #pragma omp target map(mine[0:EACH]) map(tofrom: sum[0:1]) nowait depend(in: mine[0]) device(device)
        for (int i = 0; i < EACH; i++) sum[0] += mine[i];
        #pragma omp target exit data map(from: mine[0:EACH]) nowait depend(inout: mine[0]) device(device)
    }
    #pragma omp taskwait
    double sum = 0, all = 0;
    for (int p = 0; p < PARTS; p++) {
        sum += sums[p];
        for (int i = 0; i < EACH; i++) all += part[p][i];
    }
    printf("tasks %.0f %.0f\n", sum, all);
}

static void threads(int device)
{
    double sums[4] = {0};
    #pragma omp parallel for num_threads(4)
    for (int t = 0; t < 4; t++)
        for (int k = 0; k < 20; k++) {
            double s = 0;
            #pragma omp target map(tofrom: s) device(device)
            for (int i = 0; i < 100; i++) s += t * i + k;
            sums[t] += s;
        }
    printf("threads %.0f %.0f %.0f %.0f\n", sums[0], sums[1], sums[2], sums[3]);
}

static void prints(int device)
{
    for (int k = 0; k < 3; k++) {
        printf("host %d\n", k);
        #pragma omp target device(device)
        printf("device %d\n", k);
    }
}

int main(void)
{
    int count = omp_get_num_devices();
    for (int device = 0; device == 0 || device < count; device++) {
        mapped(device);
        pointers(device);
        globals(device);
        sections(device);
        large(device);
        routines(device);
        tasks(device);
        threads(device);
        prints(device);
    }
    return 7;
}
