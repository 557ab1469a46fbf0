#include <stdio.h>
#define N 5000
#define R 4
static double x[N * R], own[N * R];
int main(void) {
#pragma omp target teams distribute parallel for map(to: x) map(tofrom: own) // or-here
  for (int i = 0; i < N; i++) {
    int b = 0; //@ bad
    int b = i * R; //@ good
    for (int j = 0; j < R; j++) //@ bad
    for (int j = i * R; j < i * R + R; j++) //@ good
      if (x[j] > x[b]) b = j;
    own[b] += 1; // expect: race
  }
  printf("%g\n", own[2]);
  return 0;
}
