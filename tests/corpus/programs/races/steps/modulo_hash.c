#include <stdio.h>
#define N 5000
#define H 128
static int bucket[H], v[N];
int main(void) {
#pragma omp target teams distribute parallel for map(to: v) map(tofrom: bucket) // or-here
  for (int i = 0; i < N; i++) {
#pragma omp atomic //@ good
    bucket[i % H] += v[i]; // expect: race
  }
  printf("%d\n", bucket[2]);
  return 0;
}
