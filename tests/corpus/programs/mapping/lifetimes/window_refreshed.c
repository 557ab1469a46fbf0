// The middle of a field is refreshed on the host every few steps.
#include <stdio.h>
#include <stdlib.h>
#define N 400
#define LO 100
#define LEN 50
static double src[N], f[N];
int main(void) {
  double s = 0;
  for (int i = 0; i < N; i++) { f[i] = 0; src[i] = 1; }
#pragma omp target data map(to: src) map(tofrom: f) //@ good bad2 bad3 bad4 // expect: mapping [bad]
#pragma omp target data map(to: src) map(to: f) //@ bad // expect: mapping [bad]
  {
    for (int t = 0; t < 10; t++) {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < N; i++) f[i] += src[i]; // or-here [bad3]
      if (t == 6) {
#pragma omp target update from(f[LO:LEN]) //@ good bad bad3 // or-here [bad4]
#pragma omp target update from(f[0:LEN]) //@ bad4 // or-here [bad4]
        for (int i = LO; i < LO + LEN; i++) f[i] *= 0.5; // expect: mapping [bad2 bad3 bad4]
#pragma omp target update to(f[LO:LEN]) //@ good bad bad2 bad4
      }
    }
  }
  for (int i = 0; i < N; i++) s += f[i]; // or-here [bad]
  printf("%f\n", s);
  return s != 3825;
}
