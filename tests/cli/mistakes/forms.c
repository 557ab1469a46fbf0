/* `atomic` directives of the wrong form, which no compiler takes: a test runs the program after their fixes. */
#include <stdio.h>

int main(void)
{
    int x = 0, sum = 0;
    #pragma omp parallel num_threads(4)
    {
        #pragma omp atomic
        x = 7;
        #pragma omp atomic write
        sum += 1;
    }
    printf("%d %d\n", x, sum);
    return 0;
}
