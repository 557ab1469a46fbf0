// Shortest paths in place: step k changes neither row k nor column k, since no distance is negative.
#include <stdio.h>
#include <stdlib.h>
static void paths(int *d, int n) {
  for (int k = 0; k < n; k++)
#pragma omp target teams distribute parallel for collapse(2) // or-here
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int via = d[i * n + k] + d[k * n + j];
      if (via < d[i * n + j]) //@ good
        d[i * n + j] = via; //@ good
      d[i * n + j] = via; //@ bad // expect: race [bad]
      d[i * n + j] -= via; //@ bad2 // expect: race [bad2]
    }
}
int main(void) {
  int n = 64, *d = malloc(sizeof(int) * n * n);
  for (int i = 0; i < n * n; i++) d[i] = i % (n + 1) ? 1 + i * 7 % 50 : 0;
#pragma omp target data map(tofrom: d[0:n * n])
  paths(d, n);
  long s = 0;
  for (int i = 0; i < n * n; i++) s += d[i];
  printf("%ld\n", s);
  free(d);
  return 0;
}
