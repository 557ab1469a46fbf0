// An array is processed in chunks by deferred regions.
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int n = 1024, chunk = 256;
  float *x = malloc(n * sizeof *x);
  for (int i = 0; i < n; i++)
    x[i] = 1;
  for (int o = 0; o < n; o += chunk) {
#pragma omp target teams distribute parallel for map(tofrom: x[o:chunk]) nowait //@ good
#pragma omp target teams distribute parallel for map(to: x[o:chunk]) nowait //@ bad // expect: mapping
#pragma omp target teams distribute parallel for map(tofrom: x[o:chunk / 2]) nowait //@ bad2 // expect: mapping
#pragma omp target teams distribute parallel for map(tofrom: x[0:chunk]) nowait //@ bad3 // expect: mapping
#pragma omp target teams distribute parallel for map(from: x[o:chunk]) nowait //@ bad4 // expect: mapping
    for (int i = o; i < o + chunk; i++)
      x[i] += 1; // or-here [bad2 bad3 bad4]
  }
#pragma omp taskwait
  float s = 0;
  for (int i = 0; i < n; i++)
    s += x[i]; // or-here [bad]
  printf("%g\n", s);
  free(x);
  return s != 2 * n;
}
