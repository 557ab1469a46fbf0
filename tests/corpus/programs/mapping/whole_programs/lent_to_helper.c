// A helper works on the device's address of what its caller has mapped.
#include <stdio.h>
#include <stdlib.h>
static void scale(int n, float a, float *x) {
#pragma omp target teams distribute parallel for is_device_ptr(x) // or-here [bad3]
  for (int i = 0; i < n; i++)
    x[i] *= a; // or-here [bad2 bad3]
}
int main(void) {
  int n = 77;
  float *x = malloc(n * sizeof *x);
  for (int i = 0; i < n; i++)
    x[i] = 1;
#pragma omp target data map(tofrom: x[0:n]) //@ good bad3
#pragma omp target data map(to: x[0:n]) //@ bad // expect: mapping
#pragma omp target data map(from: x[0:n]) //@ bad2 // expect: mapping
  {
#pragma omp target data use_device_ptr(x) //@ good bad bad2
    scale(n, 2, x); // expect: mapping [bad2 bad3]
  }
  float s = 0;
  for (int i = 0; i < n; i++)
    s += x[i]; // or-here [bad]
  printf("%g\n", s);
  free(x);
  return s != 154;
}
