#include <stdio.h>
#define N 256
int main(void) {
  int ring[N], src[2 * N];
  for (int i = 0; i < 2 * N; i++) src[i] = i;
#pragma omp target teams distribute parallel for map(to: src) map(tofrom: ring) // or-here
  for (int i = 0; i < 2 * N; i++) //@ bad
  for (int i = 0; i < N; i++) //@ good
    ring[i % N] = src[i]; // expect: race
  printf("%d\n", ring[3]);
  return 0;
}
