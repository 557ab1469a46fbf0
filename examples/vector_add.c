/* vector_add: data that stays on the device between two target regions.
 *
 * What to look at: `target data` creates the corresponding variables once. Both regions inside it find them present,
 * so nothing is copied at the regions themselves. In between, the host changes one operand and sends it again with
 * `target update`: without that line the second region would still compute with the old values.
 */
#include <stdio.h>

#define N 100000

int main(void)
{
    static int a[N], b[N], sum[N], twice[N];
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }

    /* Operands travel in, results travel out when the block ends; nothing else moves by itself. */
    #pragma omp target data map(to: a, b) map(from: sum, twice)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < N; i++)
            sum[i] = a[i] + b[i];

        /* A write on the host does not reach the device's copy… */
        for (int i = 0; i < N; i++)
            b[i] = -i;
        /* …until it is sent there. */
        #pragma omp target update to(b)

        #pragma omp target teams distribute parallel for
        for (int i = 0; i < N; i++)
            twice[i] = 2 * (a[i] + b[i]);
    }

    int wrong = 0;
    for (int i = 0; i < N; i++)
        if (sum[i] != 3 * i || twice[i] != 0)
            wrong++;
    printf("vector_add: sum[%d] = %d, twice[%d] = %d, %s\n", N - 1, sum[N - 1], N - 1, twice[N - 1],
           wrong ? "WRONG" : "correct");
    return wrong != 0;
}
