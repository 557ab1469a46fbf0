#include <stdio.h>
#define N 1024
static int t[N];
int main(void) {
  for (int i = 0; i < N; i++) t[i] = 1;
  for (int d = 1; d < N; d *= 2) {
#pragma omp target teams distribute parallel for map(tofrom: t) // or-here
    for (int k = 0; k < N; k += 2 * d) //@ good
    for (int k = 0; k < N - 2 * d; k += d) //@ bad
      t[k + 2 * d - 1] += t[k + d - 1]; // expect: race
  }
  printf("%d\n", t[N - 1]);
  return 0;
}
