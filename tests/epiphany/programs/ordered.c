/* Loops whose iterations wait for each other, each schedule and type; an iteration's own dependences in one and two dimensions. */
#include <stdint.h>
#include <stdio.h>

enum { N = 60 };

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define ORDERED(type, dealt, from, condition, step)             \
    PRAGMA(omp target map(tofrom: seen, number))                \
    PRAGMA(omp parallel num_threads(5))                         \
    {                                                           \
        PRAGMA(omp single)                                      \
        number = 0;                                             \
        PRAGMA(omp for ordered schedule dealt nowait)           \
        for (type i = from; condition; step) {                  \
            PRAGMA(omp ordered)                                 \
            seen[number++] = (int)i;                            \
        }                                                       \
    }                                                           \
    for (int i = 0; i < number; i++) sum = sum * 31 + (unsigned)seen[i]

int main(void)
{
    int seen[2 * N], number = 0, line[N] = {1}, grid[N][N], wide[N] = {1}, by[N];
    unsigned sum = 0;

    ORDERED(int, (static), 0, i < N, i++);
    ORDERED(int, (static), 0, i < 3, i++);
    ORDERED(int, (static), N, i > -N, i -= 7);
    ORDERED(int, (static, 4), 0, i < N, i += 3);
    ORDERED(int, (dynamic), 0, i < N, i++);
    ORDERED(int, (dynamic, 7), N, i > 0, i--);
    ORDERED(int, (guided), 0, i < N, i++);
    ORDERED(int, (runtime), 0, i < N, i++);
    ORDERED(uint64_t, (dynamic, 3), 5, i < N, i += 2);
    ORDERED(uint64_t, (static), 5, i < N, i += 2);
    ORDERED(unsigned, (guided, 2), 1, i < N, i += 2);
    ORDERED(int, (static), 3, i < 2, i++);

    /* Which thread has an iteration is the same with `ordered` and without. */
#pragma omp target map(tofrom: by)
#pragma omp parallel num_threads(4)
    {
        int mine = 0;
#pragma omp for schedule(static)
        for (int i = 0; i < N - 1; i++) by[i] = ++mine;
        mine = 0;
#pragma omp for ordered schedule(static)
        for (int i = 0; i < N - 1; i++)
#pragma omp ordered
            by[i] -= ++mine;
    }
    for (int i = 0; i < N - 1; i++) sum += by[i] != 0;

#pragma omp target map(tofrom: line, wide)
#pragma omp parallel
    {
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 1; i < N; i++) {
#pragma omp ordered depend(sink: i - 1)
            line[i] = line[i - 1] * 3 + i;
#pragma omp ordered depend(source)
        }
#pragma omp for ordered(1) schedule(dynamic, 2)
        for (uint64_t i = 3; i < N; i += 3) {
#pragma omp ordered depend(sink: i - 3)
            wide[i] = wide[i - 3] * 5 + (int)i;
#pragma omp ordered depend(source)
        }
    }
#pragma omp target map(tofrom: grid)
#pragma omp parallel for ordered(2)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
#pragma omp ordered depend(sink: i - 1, j + 1) depend(sink: i - 1, j) depend(sink: i, j - 1)
            grid[i][j] = 1;
            if (i > 0) grid[i][j] += grid[i - 1][j] % 1000 + (j + 1 < N ? grid[i - 1][j + 1] % 10 : 0);
            if (j > 0) grid[i][j] += grid[i][j - 1] % 1000;
#pragma omp ordered depend(source)
        }
    for (int i = 0; i < N; i++) sum = sum * 7 + (unsigned)line[i] + (unsigned)(i % 3 == 0 ? wide[i] : 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum = sum * 3 + (unsigned)grid[i][j];
    printf("%u\n", sum);
    return 0;
}
