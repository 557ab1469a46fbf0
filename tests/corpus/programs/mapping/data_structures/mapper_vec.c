// A vector with a default mapper.
// needs: clang (gcc 12 does not know mappers)
#include <stdio.h>
#include <stdlib.h>
typedef struct { int n; double *v; } vec_t;
#pragma omp declare mapper(vec_t p) map(to: p.n) map(tofrom: p.v[0:p.n]) //@ good bad4
#pragma omp declare mapper(vec_t p) map(to: p.n) map(tofrom: p.v[0:p.n / 2]) //@ bad // expect: mapping [bad]
#pragma omp declare mapper(vec_t p) map(to: p.n) map(to: p.v[0:p.n]) //@ bad2 // expect: mapping [bad2]
#pragma omp declare mapper(vec_t p) map(to: p.n, p.v) //@ bad3 // expect: mapping [bad3]
int main(void)
{
    vec_t a = {64, malloc(64 * sizeof(double))};
    for (int i = 0; i < a.n; i++) a.v[i] = i;
#pragma omp target map(tofrom: a) //@ good bad bad2 bad3 // expect: mapping [bad bad2 bad3]
#pragma omp target map(to: a) //@ bad4 // expect: mapping [bad4]
    for (int i = 0; i < a.n; i++) a.v[i] *= 2; // expect: mapping [bad bad3]
    double s = 0;
    for (int i = 0; i < a.n; i++) s += a.v[i]; // expect: mapping [bad2 bad4]
    printf("%g\n", s);
    free(a.v);
    return s != 4032;
}
