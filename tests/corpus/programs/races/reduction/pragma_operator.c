// the kernel is written by a macro
#include <stdio.h>
#define STR(x) #x
#define OMP(...) _Pragma(STR(omp __VA_ARGS__))
#define N 400
int main(void)
{
    long sum = 0; int a[N];
    for (int i = 0; i < N; i++) a[i] = i;
    OMP(target teams loop map(to: a) map(tofrom: sum)) //@ bad
    OMP(target teams loop map(to: a) map(tofrom: sum) reduction(+: sum)) //@ good
    for (int i = 0; i < N; i++)
        sum += a[i]; // expect: race
    printf("%ld\n", sum);
    return 0;
}
