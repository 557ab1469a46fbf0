// use_device_addr and has_device_addr around an array on the stack.
#include <omp.h>
// needs: clang
int main(void)
{
    int v[20], bad = 0;
    for (int i = 0; i < 20; i++)
        v[i] = i;
#pragma omp target data map(tofrom: v) //@ good bad
#pragma omp target data map(to: v) //@ bad2 // or-here [bad2]
    {
#pragma omp target data use_device_addr(v) //@ good bad2
        {
#pragma omp target has_device_addr(v) // expect: mapping [bad]
            for (int i = 0; i < 20; i++)
                v[i] += 1;
        }
    }
    for (int i = 0; i < 20; i++)
        bad |= v[i] != i + 1; // expect: mapping [bad2]
    return bad;
}
