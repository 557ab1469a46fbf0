#include <stdio.h>
#define N 1024
static int in[N], out[N];
int main(void)
{
    for (int i = 0; i < N; i++)
        in[i] = i;
    int tile[64]; //@ bad
    #pragma omp target teams distribute map(to: in) map(from: out) //@ good bad2
    #pragma omp target teams distribute map(to: in) map(from: out) map(alloc: tile) //@ bad // or-here
    for (int b = 0; b < N / 64; b++) {
        int tile[64]; //@ good bad2
        #pragma omp parallel //@ good
        { //@ good
        #pragma omp for //@ good
        for (int t = 0; t < 64; t++) //@ good
            tile[t] = in[b * 64 + t]; //@ good
        #pragma omp for //@ good
        for (int t = 0; t < 64; t++) //@ good
            out[b * 64 + t] = tile[63 - t]; //@ good
        } //@ good
        #pragma omp parallel for //@ bad
        for (int t = 0; t < 64; t++) //@ bad
            tile[t] = in[b * 64 + t]; //@ bad // expect: race
        #pragma omp parallel for //@ bad
        for (int t = 0; t < 64; t++) //@ bad
            out[b * 64 + t] = tile[63 - t]; //@ bad // or-here
        #pragma omp parallel //@ bad2
        { //@ bad2
        #pragma omp for nowait //@ bad2 // or-here
        for (int t = 0; t < 64; t++) //@ bad2
            tile[t] = in[b * 64 + t]; //@ bad2 // expect: race
        #pragma omp for //@ bad2
        for (int t = 0; t < 64; t++) //@ bad2
            out[b * 64 + t] = tile[63 - t]; //@ bad2 // or-here
        } //@ bad2
    }
    printf("%d\n", out[3]);
    return 0;
}
