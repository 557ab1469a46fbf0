#include <stdio.h>
#include <omp.h>
#define N 4096
#define B 16
static int a[N + B];
int main(void) {
#pragma omp parallel
  {
    int id = omp_get_thread_num(), nt = omp_get_num_threads();
    for (int b = id * B; b < N; b += nt * B)
      for (int k = 0; k < B; k++) //@ good
      for (int k = 0; k <= B; k++) //@ bad
        a[b + k] += k; // expect: race
  }
  printf("%d\n", a[4]);
  return 0;
}
