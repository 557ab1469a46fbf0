// needs: clang
// A struct with a pointer inside: the pointer's target needs a map of its own.
#include <stdlib.h>
typedef struct {
    int count;
    double scale;
    double *values;
} series;

static void rescale(series *s)
{
#pragma omp target map(tofrom: s[0:1], s->values[0:s->count]) //@ good
#pragma omp target map(tofrom: s[0:1]) //@ bad // expect: mapping [bad]
#pragma omp target map(tofrom: s[0:1]) map(to: s->values[0:s->count]) //@ bad2 // expect: mapping [bad2]
#pragma omp target map(tofrom: s[0:1], s->values[0:1]) //@ bad3 // expect: mapping [bad3]
    for (int i = 0; i < s->count; i++)
        s->values[i] *= s->scale; // or-here [bad bad2 bad3]
}

int main(void)
{
    series s = {20, 0.5, malloc(20 * sizeof(double))};
    for (int i = 0; i < s.count; i++)
        s.values[i] = i;
    rescale(&s);
    int bad = 0;
    for (int i = 0; i < s.count; i++)
        bad |= s.values[i] != 0.5 * i; // or-here [bad2]
    free(s.values);
    return bad;
}
