#include <stdio.h>
#include <stdint.h>
#define N 4096
int main(void) {
  static uint32_t set[N / 32];
  static int a[N];
  for (int i = 0; i < N; i++) a[i] = i % 3;
#pragma omp target teams distribute parallel for map(to: a) map(tofrom: set) // or-here
  for (int i = 0; i < N; i++) {
    if (a[i] == 0) {
#pragma omp atomic //@ good
      set[i / 32] |= 1u << (i % 32); // expect: race
    }
  }
  printf("%u\n", set[0]);
  return 0;
}
