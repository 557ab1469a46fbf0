// A visitor is called for each block that is on the device.
#include <stdio.h>
#include <stdlib.h>
#define B 4
#define L 25
static double total;
static void host_sum(double *b, int n) { for (int i = 0; i < n; i++) total += b[i]; } // expect: mapping [bad bad2]
static void dev_inc(double *b, int n) {
#pragma omp target teams distribute parallel for // or-here [bad3]
  for (int i = 0; i < n; i++) b[i] += 1; // expect: mapping [bad3]
}
static void each(double *v, int n, void (*visit)(double *, int)) { visit(v, n); }
int main(void) {
  double *v = malloc(B * L * sizeof *v);
  for (int i = 0; i < B * L; i++) v[i] = 0;
#pragma omp target enter data map(to: v[0:B*L]) //@ good bad bad2 // or-here [bad3]
#pragma omp target enter data map(to: v[0:L]) //@ bad3 // or-here [bad3]
  each(v, B * L, dev_inc);
  each(v, B * L, dev_inc);
#pragma omp target update from(v[0:B*L]) //@ good bad3 // or-here [bad2 bad3]
#pragma omp target update from(v[0:L]) //@ bad2 // or-here [bad2]
  each(v, B * L, host_sum); // or-here [bad bad2]
#pragma omp target exit data map(delete: v[0:B*L]) // or-here [bad3]
  free(v);
  return total != 200;
}
