/* Tasks: recursion, siblings with dependences, a group; n-queens with a cut-off, as in the paper on device support (§5.2). */
#include <stdio.h>

#pragma omp declare target
static int fits(const char *rows, int n, int row)
{
    for (int i = 0; i < n; i++)
        if (rows[i] == row || rows[i] - row == i - n || row - rows[i] == i - n) return 0;
    return 1;
}

static int queens(const char *rows, int n, int size, int depth)
{
    char next[12];
    int found = 0;
    if (n == size) return 1;
    for (int i = 0; i < n; i++) next[i] = rows[i];
    for (int row = 0; row < size; row++) {
        if (!fits(rows, n, row)) continue;
        next[n] = (char)row;
        if (n < depth) {
#pragma omp task shared(found) firstprivate(next, n, size, depth)
            {
                int part = queens(next, n + 1, size, depth);
#pragma omp atomic
                found += part;
            }
        } else {
            found += queens(next, n + 1, size, depth);
        }
    }
#pragma omp taskwait
    return found;
}

static int fib(int n)
{
    int a, b;
    if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n) final(n < 6)
    a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}
#pragma omp end declare target

int main(void)
{
    int solutions = 0, number = 0, chain = 1, group = 0;
#pragma omp target map(from: solutions, number) map(tofrom: chain, group)
#pragma omp parallel
    {
#pragma omp single
        {
            char none[12] = {0};
            solutions = queens(none, 0, 8, 2);
        }
#pragma omp single
        number = fib(11);
#pragma omp single
        for (int i = 0; i < 5; i++) {
#pragma omp task depend(inout: chain) shared(chain) firstprivate(i)
            chain = chain * 3 + i;
        }
#pragma omp single
        {
#pragma omp taskgroup
            for (int i = 0; i < 60; i++) {
#pragma omp task shared(group) firstprivate(i)
#pragma omp atomic
                group += i;
            }
            group *= 2;
        }
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(group)
#pragma omp atomic
            group += 0;
        }
    }
    printf("%d %d %d %d\n", solutions, number, chain, group);
    return 0;
}
