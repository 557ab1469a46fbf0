// The other file: it exits and frees what somebody else has made.
#include <stdlib.h>

typedef struct buf { int n; float *p; } buf;

void buf_free(buf *b)
{
    float *p = b->p;
    int n = b->n;
#pragma omp target exit data map(delete: p[0:n])
    free(p);
    b->p = NULL;
    b->n = 0;
}

float buf_first(const buf *b)
{
    float *p = b->p, first;
#pragma omp target map(from: first)
    first = p[0];
    return first;
}
//@ run {
int main(void)
{
    buf b = { 3, calloc(3, sizeof(float)) };
    float *p = b.p;
#pragma omp target enter data map(to: p[0:3])
    int wrong = buf_first(&b) != 0.0f;
    buf_free(&b);
    return wrong || b.p;
}
