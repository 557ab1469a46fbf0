/* Nests whose inner bounds move with an outer counter, by the same steps: programs that gcc 12 compiles end by a division. */
#include <stdio.h>

static int failures;
static int c[1024];

/* Each element was written once. */
static void check(const char *what)
{
    for (int i = 0; i < 1024; i++) {
        if (c[i] != i + 1) {
            printf("%s: element %d is %d\n", what, i, c[i]);
            failures++;
            break;
        }
    }
    for (int i = 0; i < 1024; i++)
        c[i] = 0;
}

int main(void)
{
    int j;
#pragma omp parallel for collapse(2)
    for (int i = 0; i < 32; i++)
        for (int j = i * 32; j < i * 32 + 32; j++)
            c[j] += j + 1;
    check("on the host");

#pragma omp target teams distribute parallel for collapse(2) map(tofrom : c)
    for (int i = 0; i < 32; i++)
        for (j = i * 32; j <= 31 + 32 * i; j++)
            c[j] += j + 1;
    check("in a region");

#pragma omp target teams loop collapse(3) map(tofrom : c)
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 32; i++)
            for (j = i * 32; j < i * 32 + 32; j += 2)
                c[j + k] += j + k + 1;
    check("the innermost of three loops");

#pragma omp target parallel for collapse(2) lastprivate(j) map(tofrom : c)
    for (int i = 0; i < 32; i++)
        for (j = i * 32 + 31; j > 32 * i - 1; j--)
            c[j] += j + 1;
    check("downwards");
    if (j != 31 * 32 - 1) {
        printf("the counter is %d in the end\n", j);
        failures++;
    }
    return failures != 0;
}
