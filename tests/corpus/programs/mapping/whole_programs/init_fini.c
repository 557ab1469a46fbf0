// needs: clang
// A module with init, run, and fini; its buffers are static pointers.
#include <stdlib.h>

static double *field, *scratch;
static int size;

static void init(int n)
{
    size = n;
    field = malloc(n * sizeof *field);
    scratch = malloc(n * sizeof *scratch);
    for (int i = 0; i < n; i++)
        field[i] = i;
#pragma omp target enter data map(to: field[0:n]) map(alloc: scratch[0:n]) //@ good bad2 bad3
#pragma omp target enter data map(alloc: scratch[0:n]) //@ bad
}

static void run(void)
{
#pragma omp target teams distribute parallel for map(present, alloc: field[0:size], scratch[0:size]) // expect: mapping [bad]
    for (int i = 0; i < size; i++)
        scratch[i] = field[i] + (i > 0 ? field[i - 1] : 0);
#pragma omp target teams distribute parallel for map(present, alloc: field[0:size], scratch[0:size]) // or-here [bad]
    for (int i = 0; i < size; i++)
        field[i] = scratch[i];
}

static void fini(void)
{
#pragma omp target exit data map(from: field[0:size]) map(delete: scratch[0:size]) //@ good bad3 // or-here [bad3]
#pragma omp target exit data map(delete: scratch[0:size]) //@ bad // or-here [bad]
#pragma omp target exit data map(release: field[0:size]) map(delete: scratch[0:size]) //@ bad2 // or-here [bad2]
}

int main(void)
{
    init(32);
    run();
    int first = field[1] != 1; //@ bad3 // expect: mapping [bad3]
    run();
    fini();
    int bad = field[0] != 0 || field[1] != 1 || field[2] != 4; //@ good bad bad2 // expect: mapping [bad2]
    int bad = first || field[1] != 2; //@ bad3
    free(field);
    free(scratch);
    return bad;
}
