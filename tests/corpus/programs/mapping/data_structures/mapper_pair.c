// A mapper whose members go in different directions.
// needs: clang (gcc 12 does not know mappers)
#include <stdio.h>
#include <stdlib.h>
struct series { int len; double *x, *y; };
#pragma omp declare mapper(struct series s) map(to: s.len, s.x[0:s.len]) map(from: s.y[0:s.len]) //@ good bad4
#pragma omp declare mapper(struct series s) map(to: s.len, s.x[0:s.len]) map(to: s.y[0:s.len]) //@ bad // expect: mapping [bad]
#pragma omp declare mapper(struct series s) map(to: s.len) map(from: s.x[0:s.len], s.y[0:s.len]) //@ bad2 // expect: mapping [bad2]
#pragma omp declare mapper(struct series s) map(to: s.len, s.x[0:s.len - 1]) map(from: s.y[0:s.len]) //@ bad3 // expect: mapping [bad3]
static void square(struct series *p)
{
    struct series s = *p;
#pragma omp target teams distribute parallel for map(tofrom: s) //@ good bad bad2 bad3 // expect: mapping [bad bad2 bad3]
#pragma omp target teams distribute parallel for map(to: s) //@ bad4 // expect: mapping [bad4]
    for (int i = 0; i < s.len; i++) s.y[i] = s.x[i] * s.x[i]; // expect: mapping [bad bad2 bad3]
}
int main(void)
{
    struct series s = {.len = 30};
    s.x = malloc(s.len * sizeof(double));
    s.y = malloc(s.len * sizeof(double));
    for (int i = 0; i < s.len; i++) s.x[i] = i;
    square(&s);
    double t = 0;
    for (int i = 0; i < s.len; i++) t += s.y[i]; // expect: mapping [bad bad4]
    printf("%g\n", t);
    free(s.x); free(s.y);
    return 0;
}
