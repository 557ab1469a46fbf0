/* in_reduction on a target construct: what the region adds arrives with what the tasks of the group add. */
#include <stdio.h>

int main(void)
{
    int sum = 5, failures = 0;
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp target in_reduction(+ : sum) nowait
        for (int i = 0; i < 10; i++)
            sum += i;
#pragma omp target in_reduction(+ : sum)
        sum += 100;
    }
    if (sum != 150) {
        printf("sum: %d, not 150\n", sum);
        failures++;
    }
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp target in_reduction(+ : sum) nowait
        for (int i = 0; i < 10; i++)
            sum += i;
#pragma omp task in_reduction(+ : sum)
        sum += 1000;
    }
    if (sum != 1195) {
        printf("sum: %d, not 1195\n", sum);
        failures++;
    }
    return failures != 0;
}
