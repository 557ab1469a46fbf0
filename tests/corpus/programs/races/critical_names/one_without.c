// One of the two accesses is protected.
#include <stdio.h>

int main(void)
{
    int list[100], used = 0, skipped = 0;
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        if (i % 4 == 0) {
#pragma omp critical
            list[used++] = i; // or-here
        } else {
#pragma omp atomic //@ good
            skipped++; // expect: race
        }
    }
    printf("%d %d %d\n", used, skipped, list[0] % 4);
    return used != 25 || skipped != 75;
}
