// A table of operations, filled at run time, drives the device.
#include <stdio.h>
#include <stdlib.h>
typedef struct { void (*upload)(double *, int); void (*run)(double *, int); void (*fetch)(double *, int); } ops_t;
static void up(double *v, int n) {
#pragma omp target update to(v[0:n]) //@ good bad bad2 bad4
#pragma omp target update from(v[0:n]) //@ bad3 // or-here [bad3]
}
static void square(double *v, int n) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) v[i] = v[i] * v[i]; // or-here [bad bad3]
}
static void down(double *v, int n) {
#pragma omp target update from(v[0:n]) //@ good bad bad2 bad3 // or-here [bad3]
#pragma omp target update from(v[0:n/2]) //@ bad4 // or-here [bad4]
}
static void drive(const ops_t *ops, double *v, int n) {
  ops->upload(v, n); //@ good bad2 bad3 bad4
  ops->run(v, n);
  ops->fetch(v, n); //@ good bad bad3 bad4
}
int main(void) {
  int n = 50;
  ops_t ops = {up, square, down};
  double *v = malloc(n * sizeof *v), s = 0;
#pragma omp target enter data map(alloc: v[0:n])
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++) v[i] = i + k; // expect: mapping [bad bad3]
    drive(&ops, v, n);
    for (int i = 0; i < n; i++) s += v[i]; // expect: mapping [bad2 bad4]
  }
#pragma omp target exit data map(delete: v[0:n])
  printf("%f\n", s);
  free(v);
  return s != 128875;
}
