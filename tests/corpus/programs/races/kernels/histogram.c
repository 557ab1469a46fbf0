#include <stdio.h>
#include <stdlib.h>
#define N 10000
#define BINS 64
static unsigned char data[N];
static int bins[BINS];
static int overflow;
int main(void)
{
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)(i * 7 % 256);
    #pragma omp target teams distribute parallel for map(to: data) map(tofrom: bins, overflow) // or-here
    for (int i = 0; i < N; i++) {
        int b = data[i] / 4;
        if (b >= BINS) {
            #pragma omp atomic
            overflow++;
            continue;
        }
        #pragma omp atomic //@ good
        bins[b]++; // expect: race [bad]
    }
    int sum = 0;
    for (int b = 0; b < BINS; b++)
        sum += bins[b];
    printf("%d %d\n", sum, overflow);
    return 0;
}
