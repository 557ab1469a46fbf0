// Each worker takes a reference to the table; as many are given back.
#include <stdlib.h>

static void take(float *t, int n)
{
#pragma omp target enter data map(to: t[0:n])
}

static void give(float *t, int n)
{
#pragma omp target exit data map(from: t[0:n])
}

int main(int argc, char **argv)
{
    (void)argv;
    int n = 64, workers = argc + 3;
    float *t = calloc(n, sizeof *t);
    for (int w = 0; w < workers; w++) { //@ good good2 bad bad2
        take(t, n); //@ good good2 bad bad2
#pragma omp target teams distribute parallel for //@ good good2 bad bad2
        for (int i = 0; i < n; i++) //@ good good2 bad bad2
            t[i] += 1; //@ good good2 bad bad2
    } //@ good good2 bad bad2
    int w = 0; //@ good3 bad3
    while (1) { //@ good3 bad3
        take(t, n); //@ good3 bad3
#pragma omp target teams distribute parallel for //@ good3 bad3
        for (int i = 0; i < n; i++) //@ good3 bad3
            t[i] += 1; //@ good3 bad3
        if (++w == workers) //@ good3 bad3
            break; //@ good3 bad3
        give(t, n); //@ good3
    } //@ good3 bad3
    give(t, n); //@ good2 good3 bad bad2 bad3
    for (int w = 0; w < workers; w++) //@ good
        give(t, n); //@ good
#pragma omp target update from(t[0:n]) //@ good2 bad2
#pragma omp target exit data map(delete: t[0:n]) //@ good2
    int bad = t[5] != workers; // expect: mapping [bad bad3]
    free(t); // expect: mapping [bad bad2 bad3]
    return bad;
}
