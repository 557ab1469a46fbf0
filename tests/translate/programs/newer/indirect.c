/* Functions that devices may call through pointers that hold the host's addresses (OpenMP 5.1 §2.14.7). */
#include "../expect.h"

typedef int (*function)(int);
struct operation {
    const char *name;
    int (*apply)(int);
};

static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
#pragma omp declare target enter(twice, square) indirect

static int through(int (*f)(int), int x) { return (*f)(x); } /* called in regions */

#pragma omp begin declare target indirect(1)
int minus(int x) { return -x; }
static function chosen(int k) { return k ? minus : twice; } /* on a device: the device's addresses */
#pragma omp end declare target

#pragma omp declare target
static int next(int x) { return x + 1; }
#pragma omp end declare target

int main(void)
{
    function f = square;
    int got[6] = {0};
#pragma omp target map(tofrom : got)
    got[0] = f(5);
    expect(got[0], 25, "a pointer of the host");

    f = minus;
#pragma omp target map(tofrom : got)
    {
        function own = next;
        got[1] = through(f, 7);
        got[2] = own(f(1));
        got[3] = f(own(f(2)));
    }
    expect(got[1], -7, "a pointer handed over to a function");
    expect(got[2], 0, "a pointer of the device");
    expect(got[3], 1, "calls in arguments");

    struct operation table[3] = {{"twice", twice}, {"square", &square}, {"minus", minus}};
    int sum = 0;
#pragma omp target teams distribute parallel for map(to : table) map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < 300; i++)
        sum += table[i % 3].apply(i);
    int want = 0;
    for (int i = 0; i < 300; i++)
        want += table[i % 3].apply(i);
    expect(sum, want, "members of an array of structures");

    function (*choose)(int) = chosen;
#pragma omp target map(tofrom : got)
    {
        got[4] = choose(1)(4);
        got[5] = (*choose(0))(4);
    }
    expect(got[4], -4, "a function that gives a function");
    expect(got[5], 8, "and what it gives, as a function");
    return failures != 0;
}
