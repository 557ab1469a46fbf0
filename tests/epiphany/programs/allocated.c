/* allocated.c -- private variables for which the clause `allocate` asks memory, also aligned to more than the run time's own. */
#include <stdint.h>
#include <stdio.h>

struct line {
    int of[8];
} __attribute__((aligned(64)));

int main(void)
{
    int sum = 0, misaligned = 0, x = 5;
    struct line l = {{1, 2, 3}};
#pragma omp target map(tofrom: sum, misaligned) firstprivate(x, l)
#pragma omp parallel num_threads(2) firstprivate(x, l) allocate(x, l) reduction(+: sum, misaligned)
    {
#pragma omp for
        for (int i = 0; i < 20; i++) {
            x = i;
            l.of[i % 8] += x;
            sum += l.of[i % 8] - l.of[7 - i % 8] * 0;
        }
        misaligned += ((uintptr_t)&l & 63) != 0;
    }
    printf("%d %d\n", sum, misaligned);
    return 0;
}
