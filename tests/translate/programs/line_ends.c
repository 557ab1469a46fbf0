/* Where lines end: blocks on one line, regions in a macro, clauses and comments that go on behind a backslash. */
#include <alloca.h>
#include "expect.h"

#define AS_IT_IS(...) __VA_ARGS__

#pragma omp declare target
static int second(int a, int b) { int *p = (int[]){a, b}; return p[1]; }
#pragma omp end declare target

int main(void)
{
    int x = 0, y = 0, z = 0, w = 0, sum = 0, a[4] = {1, 2, 3, 4}, b = 0;
#pragma omp target map(from : x, y, z, w)
    { { int *p = (int[]){4, 5}; x = p[1]; } { int *q = alloca(2 * sizeof(int)); q[1] = 7; y = q[1]; }
      AS_IT_IS({ int *p = (int[]){8, 9}; z = p[1]; }) w = second(1, 2); }
    expect(x, 5, "a compound literal");
    expect(y, 7, "alloca");
    expect(z, 9, "in a macro");
    expect(w, 2, "in a function");
#pragma omp target teams distribute parallel for reduction(+ : sum, \
                                                           a[0 : \
                                                             2]) map(tofrom : sum)
    for (int i = 0; i < 10; i++) { sum += i; a[1] += 2; }
    expect(sum, 45, "a list over several lines");
    expect(a[1], 22, "a section over several lines");
#pragma omp target map(tofrom : b)
    {
        b = 1; // this goes on \
        b = 2;
        b += 4; // and this
        b += 8;
    }
    expect(b, 13, "comments");
    return failures != 0;
}
// the end