#include <stdio.h>
#define N 100
#define M 80
static float a[N][M], col[M];
int main(void) {
#pragma omp target map(to: a) map(tofrom: col)
#pragma omp teams distribute parallel for // or-here
  for (int i = 0; i < N; i++) //@ bad
    for (int j = 0; j < M; j++) //@ bad
  for (int j = 0; j < M; j++) //@ good
    for (int i = 0; i < N; i++) //@ good
      if (a[i][j] > 0)
        col[j] += a[i][j]; // expect: race
  printf("%f\n", col[2]);
  return 0;
}
