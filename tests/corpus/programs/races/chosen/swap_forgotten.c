#include <stdio.h>
#include <stdlib.h>
#define N 1000
int main(void) {
  double *old = calloc(N, sizeof(double)), *new = calloc(N, sizeof(double));
#pragma omp target enter data map(to: old[0:N], new[0:N])
  for (int t = 0; t < 10; t++) {
#pragma omp target teams distribute parallel for // or-here
    for (int i = 1; i < N - 1; i++)
      new[i] = 0.5 * (old[i - 1] + old[i + 1]); // expect: race
    double *tmp = old; //@ good
    old = new;
    new = tmp; //@ good
  }
#pragma omp target exit data map(from: old[0:N], new[0:N])
  printf("%g\n", old[3]);
  return 0;
}
