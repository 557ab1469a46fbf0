/* Copies that constructs in sequential code make, when parallel regions inside of them use these. */
#include "expect.h"

#pragma omp declare target
static int of_device = 3;
static int in_function(int start)
{
    int sum = 0;
#pragma omp single private(of_device)
    {
        of_device = start;
#pragma omp parallel num_threads(3)
#pragma omp critical
        of_device++;
        sum = of_device > start;
    }
    return sum + of_device;
}
#pragma omp end declare target

#pragma omp declare target
static int global = 5, globals[3] = {1, 2, 3};
static int in_worksharing(int v)
{
    int other = 1;
#pragma omp parallel num_threads(3)
    {
#pragma omp for reduction(+ : v) firstprivate(global, other)
        for (int i = 0; i < 6; i++) {
            v += global + other;
            other = 1;
        }
#pragma omp single firstprivate(globals)
        {
            globals[1] += 10;
            global += globals[1];
        }
    }
    return v + globals[1];
}
#pragma omp end declare target
static void copies_of_globals(void)
{
    int got = 0, then = 0;
#pragma omp target map(from : got, then)
    {
        got = in_worksharing(2);
        then = global;
    }
    expect(got, 2 + 36 + 2, "firstprivate of a loop");
    expect(then, 17, "firstprivate of single");
}

int main(void)
{
    copies_of_globals();
    int sum = 0, of_loop = 0, seen[8] = {0}, x = 3, in_single = 0, in_sections = 0, in_scope = 0;
#pragma omp target map(tofrom : of_loop, seen, in_single, in_sections, in_scope) firstprivate(x)
    {
#pragma omp for private(x)
        for (int i = 0; i < 8; i++) {
            x = i;
#pragma omp parallel num_threads(4)
#pragma omp single
            seen[i] = x;
        }
        of_loop = x;
#pragma omp single private(x)
        {
            x = 11;
#pragma omp parallel num_threads(4)
#pragma omp critical
            x++;
            in_single = x > 11;
        }
#pragma omp for private(x) lastprivate(of_loop)
        for (int i = 0; i < 8; i++) {
            x = 1;
#pragma omp parallel num_threads(4)
            {
#pragma omp single
                x += i;
#pragma omp master
                of_loop = x;
            }
        }
#pragma omp sections private(x)
        {
#pragma omp section
            {
                x = 1;
#pragma omp parallel num_threads(3)
#pragma omp single
                x += 20;
                in_sections = x;
            }
        }
#pragma omp scope private(x) reduction(+ : in_scope)
        {
            x = 5;
#pragma omp parallel num_threads(2) reduction(+ : in_scope)
#pragma omp single
            in_scope += x;
        }
    }
    expect(seen[0] + seen[7], 7, "private of a loop");
    expect(of_loop, 8, "lastprivate of a loop");
    expect(in_single, 1, "private of single");
    expect(in_sections, 21, "private of sections");
    expect(in_scope, 5, "private and reduction of scope");

#pragma omp target map(tofrom : sum)
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp task in_reduction(+ : sum)
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 10; i++)
            sum += i;
#pragma omp task in_reduction(+ : sum)
        sum += 100;
    }
    expect(sum, 145, "in_reduction of tasks");
    int got = 0;
#pragma omp target map(from : got)
    got = in_function(5);
    expect(got, 4, "private of single in a function");
    return failures != 0;
}
