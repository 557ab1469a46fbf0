// Solves with an upper triangle, a column at a time: the unknown that is found is taken off the rows above.
#include <stdio.h>
#include <stdlib.h>
static void solve(const double *a, double *x, int n) {
#pragma omp target data map(to: a[0:n * n]) map(tofrom: x[0:n])
  for (int k = n - 1; k >= 0; k--) {
#pragma omp target
    x[k] /= a[k * n + k];
#pragma omp target teams distribute parallel for // or-here
    for (int i = 0; i < k; i++) //@ good
    for (int i = 0; i <= k; i++) //@ bad
      x[i] -= a[i * n + k] * x[k]; // expect: race
  }
}
int main(void) {
  int n = 200;
  double *a = malloc(sizeof(double) * n * n), *x = malloc(sizeof(double) * n), s = 0;
  for (int i = 0; i < n * n; i++) a[i] = i % (n + 1) ? 1.0 / (1 + i % 9) : n;
  for (int i = 0; i < n; i++) x[i] = i % 7;
  solve(a, x, n);
  for (int i = 0; i < n; i++) s += x[i];
  printf("%.6f\n", s);
  free(a);
  free(x);
  return 0;
}
