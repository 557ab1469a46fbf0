#include <stdio.h>
#define N 100
static double a[N][N], d[N];
static int pick[N];
int main(void) {
  for (int i = 0; i < N; i++) pick[i] = (i * 3) % N;
#pragma omp target teams distribute parallel for collapse(2) map(to: a, pick) map(tofrom: d) // or-here
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      if (j == pick[i]) d[i] += a[i][j]; //@ good
      if (a[i][j] > 0.5) d[i] += a[i][j]; //@ bad // expect: race
    }
  printf("%g\n", d[3]);
  return 0;
}
