#include <stdio.h>
#define N 100000
int main(void)
{
    static unsigned char text[N];
    int count[256] = {0};
    for (int i = 0; i < N; i++) text[i] = (unsigned char)(i * 31);
    #pragma omp target teams distribute parallel for map(to: text) map(tofrom: count) //@ bad
    #pragma omp target teams distribute parallel for map(to: text) reduction(+: count) //@ good
    for (int i = 0; i < N; i++)
        count[text[i] & 63] += 1; // expect: race
    printf("%d\n", count[3]);
    return 0;
}
