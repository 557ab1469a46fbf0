#include <stdio.h>
#define N 100
#define M 80
static int a[N][M], zeros[N];
int main(void) {
#pragma omp target teams distribute parallel for collapse(2) map(to: a) map(tofrom: zeros) // or-here
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      if (a[i][j] == 0) {
#pragma omp atomic //@ good
        zeros[i]++; // expect: race
      }
  printf("%d\n", zeros[3]);
  return 0;
}
