// A counter and a maximum that are found on the device.
#include <stdio.h>
#define N 400
int main(void)
{
    double data[N], top = -1;
    int count = 0;
    for (int i = 0; i < N; i++)
        data[i] = (i * 31) % 97;
#pragma omp target map(to: data) map(tofrom: count, top) //@ good
#pragma omp target map(to: data) map(tofrom: top) //@ bad // or-here [bad]
#pragma omp target map(to: data, top) map(tofrom: count) //@ bad2 // expect: mapping [bad2]
#pragma omp target map(to: data) map(from: count, top) //@ bad3 // expect: mapping [bad3]
    for (int i = 0; i < N; i++) {
        if (data[i] > 50)
            count++; // expect: mapping [bad bad3]
        if (data[i] > top)
            top = data[i]; // or-here [bad2]
    }
    int want = 0;
    for (int i = 0; i < N; i++)
        want += data[i] > 50;
    printf("%d %g\n", count, top);
    return count != want || top != 96; // or-here [bad bad2]
}
