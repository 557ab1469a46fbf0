/* Times of the device that is the first one, as `name value` lines: cluster_bench.py reads them. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SMALLEST
enum { ROUNDS = 1, LARGE = 1 << 20, FEW = 1, TURNS = 20000000 };
#else
enum { ROUNDS = 3000, LARGE = 64 << 20, FEW = 9, TURNS = 400000000 };
#endif

static double times[ROUNDS];

static int by_value(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static void tell(const char *name, int rounds)
{
    qsort(times, rounds, sizeof *times, by_value);
    printf("%s %.9f\n", name, times[rounds / 2]);
}

/* The same work for everybody: a chain that no compiler shortens. */
#pragma omp declare target
static double work(long turns)
{
    double x = 2;
    for (long i = 0; i < turns; i++)
        x = x * 0.999999 + 1e-6;
    return x;
}
#pragma omp end declare target

/* The same to all devices, and from each to the next one. */
static void share(char *large, int devices)
{
    int x = 0;
    for (int d = 0; d < devices; d++) {
        #pragma omp target enter data device(d) map(to: x)
    }
    for (int i = 0; i < FEW; i++) {
        for (int k = 0; k < LARGE; k += 4096) large[k]++;
        double start = omp_get_wtime();
        for (int d = 0; d < devices; d++) {
            #pragma omp target enter data device(d) map(to: large[0:LARGE])
        }
        for (int d = 0; d < devices; d++) { /* they all have it */
            #pragma omp target update device(d) from(x)
        }
        times[i] = omp_get_wtime() - start;
        for (int d = 0; d < devices; d++) {
            #pragma omp target exit data device(d) map(delete: large[0:LARGE])
        }
    }
    tell("all", FEW);
    for (int i = 0; i < FEW; i++) {
        double start = omp_get_wtime();
        for (int d = 0; d < devices; d++) {
            #pragma omp target device(d) map(tofrom: large[0:LARGE])
            for (int k = 0; k < LARGE; k += 4096) large[k]++;
        }
        times[i] = omp_get_wtime() - start;
    }
    tell("chain", FEW);
}

int main(int argc, char **argv)
{
    int devices = omp_get_num_devices(), x = 0;
    char *large = malloc(LARGE);
    memset(large, 1, LARGE);
    if (argc > 1 && strcmp(argv[1], "share") == 0) {
        share(large, devices);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        double begin = omp_get_wtime(), sum = 0;
        #pragma omp parallel for num_threads(2) schedule(static, 1) reduction(+: sum)
        for (int i = 0; i < 2; i++)
            sum += work(TURNS);
        printf("threads %.9f\n", omp_get_wtime() - begin);
        return sum < 1.9 || sum > 2.1;
    }
    double begin = omp_get_wtime();
    for (int device = 0; device < devices; device++) {
        #pragma omp target device(device)
        { }
    }
    printf("start %.9f\n", omp_get_wtime() - begin);
    if (devices > 2) return 0; /* those that are not asked keep cores busy, too */
    #pragma omp target enter data map(to: x)
    #pragma omp target enter data map(alloc: large[0:LARGE])
    for (int i = 0; i < ROUNDS; i++) {
        double start = omp_get_wtime();
        #pragma omp target update from(x)
        times[i] = omp_get_wtime() - start;
    }
    tell("command", ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
        double start = omp_get_wtime();
        #pragma omp target
        { }
        times[i] = omp_get_wtime() - start;
    }
    tell("region", ROUNDS);
    for (int i = 0; i < FEW; i++) {
        double start = omp_get_wtime();
        #pragma omp target update to(large[0:LARGE])
        #pragma omp target update from(x)
        times[i] = omp_get_wtime() - start;
    }
    tell("to", FEW);
    for (int i = 0; i < FEW; i++) {
        double start = omp_get_wtime();
        #pragma omp target update from(large[0:LARGE])
        times[i] = omp_get_wtime() - start;
    }
    tell("from", FEW);
    if (devices == 2) {
        double start = omp_get_wtime(), results[2];
        for (int device = 0; device < 2; device++) {
            #pragma omp target device(device) nowait map(from: results[device:1])
            results[device] = work(TURNS);
        }
        #pragma omp taskwait
        printf("nodes %.9f\n", omp_get_wtime() - start);
        return results[0] != results[1];
    }
    return 0;
}
