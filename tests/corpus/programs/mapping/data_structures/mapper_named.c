// A named mapper with a scratch buffer.
// needs: clang (gcc 12 does not know mappers)
#include <stdio.h>
#include <stdlib.h>
typedef struct { size_t len; int *buf; int *scratch; } work;
#pragma omp declare mapper(deep: work w) map(to: w.len) map(tofrom: w.buf[0:w.len]) map(alloc: w.scratch[0:w.len]) //@ good bad
#pragma omp declare mapper(deep: work w) map(to: w.len) map(tofrom: w.buf[0:w.len]) //@ bad2 // expect: mapping [bad2]
int main(void)
{
    work w;
    w.len = 50;
    w.buf = malloc(w.len * sizeof(int));
    w.scratch = malloc(w.len * sizeof(int));
    for (size_t i = 0; i < w.len; i++) w.buf[i] = (int)i;
#pragma omp target map(mapper(deep), tofrom: w) //@ good bad2 // expect: mapping [bad2]
#pragma omp target map(tofrom: w) //@ bad // expect: mapping [bad]
    {
        for (size_t i = 0; i < w.len; i++) w.scratch[i] = w.buf[w.len - 1 - i]; // expect: mapping [bad bad2]
        for (size_t i = 0; i < w.len; i++) w.buf[i] = w.scratch[i];
    }
    printf("%d\n", w.buf[0]);
    free(w.buf);
    free(w.scratch);
    return 0;
}
