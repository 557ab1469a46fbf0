#include <stdio.h>
#define N 4096
static int a[N + 64];
int main(void) {
  int bs = 64;
#pragma omp target teams distribute map(tofrom: a) // or-here
  for (int b = 0; b < N; b += bs) {
#pragma omp parallel for
    for (int k = 0; k < bs; k++) //@ good
    for (int k = 0; k < bs + 1; k++) //@ bad
      a[b + k] += k; // expect: race
  }
  printf("%d\n", a[4]);
  return 0;
}
