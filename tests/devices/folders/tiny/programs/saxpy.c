/* saxpy: y = a*x + y, of a size that 32 KiB hold; with a barrier that one thread does not need. */
#include <stdio.h>

enum { N = 1000 };

int main(void)
{
    static float x[N], y[N];
    int length = N, there = -1;
    float a = 2.0f;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }

    #pragma omp target parallel map(to: x) map(tofrom: y) map(from: there)
    {
        #pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < length; i++)
            y[i] = a * x[i] + y[i];
        #pragma omp barrier
        #pragma omp critical
        there = (int)sizeof(void *);
    }

    int wrong = there != 4;
    for (int i = 0; i < N; i++)
        wrong += y[i] != a * (float)i + 1.0f;
    printf("saxpy: pointers of %d bytes, %s\n", there, wrong ? "WRONG" : "correct");
    return wrong != 0;
}
