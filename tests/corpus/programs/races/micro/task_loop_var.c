#include <stdio.h>
#define N 50
static void process(int *a, int i) { a[i] = i * i; }
int main(void)
{
    int a[N];
    int i;
    #pragma omp parallel shared(i)
    #pragma omp single
    for (i = 0; i < N; i++) { // or-here
        #pragma omp task shared(i) //@ bad
        #pragma omp task firstprivate(i) //@ good
        process(a, i); // expect: race
    }
    printf("%d\n", a[4]);
    return 0;
}
