#include <stdio.h>
#define N 300
int main(void)
{
    int count = 0, odd[N] = {0};
    #pragma omp parallel for // or-here
    for (int i = 0; i < N; i++) {
        if (i % 2) {
            #pragma omp atomic
            count++; // or-here
        } else {
            #pragma omp atomic //@ good
            count += 2; // expect: race
        }
        odd[i] = i % 2;
    }
    printf("%d %d\n", count, odd[5]);
    return 0;
}
