#include <stdio.h>
#define N 400
static int hist[10], most, which;
int main(void)
{
    #pragma omp parallel for // or-here
    for (int i = 0; i < N; i++) {
        int k = i * i % 10;
        #pragma omp atomic //@ good bad
        hist[k]++; // or-here
        #pragma omp critical //@ good bad2
        {
            int now;
            #pragma omp atomic read //@ good bad
            now = hist[k];
            if (now > most) { // or-here
                most = now; // expect: race [bad]
                which = k; // or-here
            }
        }
        #pragma omp critical //@ bad2
        hist[k]--; //@ bad2 // expect: race [bad2]
    }
    printf("%d %d\n", most, which);
    return 0;
}
