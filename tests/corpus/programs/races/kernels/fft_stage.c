#include <stdio.h>
#define N 1024
static float re[N], tmp[N];
int main(void)
{
    for (int i = 0; i < N; i++)
        re[i] = i % 5;
    for (int half = 1; half < N; half *= 2) {
        #pragma omp parallel for // or-here
        for (int b = 0; b < N; b += 2 * half) //@ good
            for (int k = 0; k < half; k++) { //@ good
                float u = re[b + k], v = re[b + k + half]; //@ good // or-here
                re[b + k] = u + v; //@ good
                re[b + k + half] = u - v; //@ good // or-here
            } //@ good
        for (int i = 0; i < N - half; i++) //@ bad
            re[i + half] = re[i] - re[i + half]; //@ bad // expect: race [bad]
    }
    printf("%g %g\n", re[1], tmp[0]);
    return 0;
}
