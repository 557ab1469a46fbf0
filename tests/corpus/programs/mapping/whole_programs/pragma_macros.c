// Pragmas through macros, as in a portability header.
#include <stdlib.h>
#define STR(x) #x
#define PRAGMA(x) _Pragma(STR(x))
#define DEVICE_LOOP(...) PRAGMA(omp target teams distribute parallel for __VA_ARGS__)
#define TO_DEVICE(p, n) PRAGMA(omp target enter data map(to: p[0:n]))
#define UPDATE_HOST(p, n) PRAGMA(omp target update from(p[0:n]))
#define UPDATE_DEVICE(p, n) PRAGMA(omp target update to(p[0:n]))
#define DROP(p, n) PRAGMA(omp target exit data map(delete: p[0:n]))

int main(void)
{
    int n = 256, bad = 0;
    int *v = malloc(n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = i;
    TO_DEVICE(v, n)
    DEVICE_LOOP()
    for (int i = 0; i < n; i++)
        v[i] += 1;
    UPDATE_HOST(v, n) //@ good bad2 bad3
    for (int i = 0; i < n; i++)
        bad += v[i] != i + 1; // expect: mapping [bad]
    for (int i = 0; i < n; i++)
        v[i] = -i;
    UPDATE_DEVICE(v, n) //@ good bad bad3
    DEVICE_LOOP() // expect: mapping [bad2]
    for (int i = 0; i < n; i++)
        v[i] *= 2; // or-here [bad2]
    DROP(v, n) //@ bad3 // or-here [bad3]
    UPDATE_HOST(v, n) // expect: mapping [bad3]
    for (int i = 0; i < n; i++)
        bad += v[i] != -2 * i;
    DROP(v, n) //@ good bad bad2
    free(v);
    return bad != 0;
}
