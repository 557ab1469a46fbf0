#include <stdio.h>
#define N 50
int main(void)
{
    int done = 0, results[N];
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < N; i++) { // or-here
        #pragma omp task shared(done, results) firstprivate(i) //@ good bad // or-here
        #pragma omp task shared(done, results, i) //@ bad2 // or-here
        {
            results[i] = i * i; // expect: race [bad2]
            #pragma omp atomic //@ good bad2
            done++; // expect: race [bad]
        }
    }
    printf("%d %d\n", done, results[3]);
    return 0;
}
