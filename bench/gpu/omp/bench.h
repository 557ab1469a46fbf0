/* bench.h -- what the benchmark programs share: PROGRAM N REPEATS INPUT OUTPUT.

   INPUT holds the arrays as raw floats, one after another; the program prints the seconds of each repeat and writes its
   results to OUTPUT. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int bench_n, bench_repeats;
static FILE *bench_in, *bench_out;

static void bench_start(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s N REPEATS INPUT OUTPUT\n", argv[0]);
        exit(2);
    }
    bench_n = atoi(argv[1]);
    bench_repeats = atoi(argv[2]);
    bench_in = fopen(argv[3], "rb");
    bench_out = fopen(argv[4], "wb");
    if (!bench_in || !bench_out) {
        perror(argv[0]);
        exit(2);
    }
}

static float *bench_array(size_t count)
{
    float *a = calloc(count, sizeof *a);
    if (!a) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return a;
}

static float *bench_input(size_t count)
{
    float *a = bench_array(count);
    if (fread(a, sizeof *a, count, bench_in) != count) {
        fprintf(stderr, "the input is too short\n");
        exit(2);
    }
    return a;
}

static void bench_output(const float *a, size_t count)
{
    if (fwrite(a, sizeof *a, count, bench_out) != count) {
        perror("output");
        exit(2);
    }
}

static int bench_end(void)
{
    return fclose(bench_out) != 0;
}
