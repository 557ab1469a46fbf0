#include <stdio.h>
#include <stdlib.h>
#define N 3000
int keep(int v) { return v % 3 == 0; }
int filter(const int *in, int *out, int n)
{
    int count = 0;
    #pragma omp target teams distribute parallel for map(to: in[0:n]) map(from: out[0:n]) map(tofrom: count) //@ good bad // or-here
    #pragma omp parallel for //@ bad2 // or-here
    for (int i = 0; i < n; i++)
        if (keep(in[i])) {
            int at; //@ good bad
            #pragma omp atomic capture //@ good
            at = count++; //@ good
            #pragma omp atomic //@ bad
            count++; //@ bad // or-here
            at = count - 1; //@ bad // expect: race [bad]
            int at = count; //@ bad2 // or-here
            count = at + 1; //@ bad2 // expect: race [bad2]
            out[at] = in[i]; // or-here
        }
    return count;
}
int main(void)
{
    int *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
    for (int i = 0; i < N; i++)
        a[i] = i;
    printf("%d\n", filter(a, b, N));
    free(a), free(b);
    return 0;
}
