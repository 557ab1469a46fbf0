/* halves.c -- arrays of which only a part is mapped, that does not begin with their first element; also through a pointer. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 30000, HALF = N / 2 };
struct part {
    int *of;
};

int main(void) {
    int *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b), sum = 0, third = 0;
    struct part p = {b};
    if (a == NULL || b == NULL) return 2;
    for (int i = 0; i < N; i++) a[i] = b[i] = i % 7;
    #pragma omp target teams distribute parallel for map(to: a[HALF:HALF]) map(from: b[HALF:HALF]) reduction(+: sum)
    for (int i = HALF; i < N; i++) {
        b[i] = 2 * a[i];
        sum += a[i];
    }
    #pragma omp target map(to: p, p.of[HALF:100]) map(tofrom: third)
    for (int i = 0; i < 100; i++) third += p.of[HALF + i];
    for (int i = 0; i < N; i++)
        if (b[i] != (i < HALF ? i % 7 : 2 * (i % 7))) return 1;
    printf("%d %d\n", sum, third);
    return 0;
}
