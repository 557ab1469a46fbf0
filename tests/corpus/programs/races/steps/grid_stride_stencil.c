#include <stdio.h>
#include <omp.h>
#define N 10000
static float a[N], b[N];
int main(void) {
  for (int i = 0; i < N; i++) a[i] = b[i] = i;
#pragma omp target parallel map(tofrom: a, b)
  {
    int id = omp_get_thread_num(), nt = omp_get_num_threads();
    for (int i = id + 1; i < N; i += nt)
      a[i] = a[i - 1] + 1; //@ bad // expect: race
      a[i] = b[i - 1] + 1; //@ good
  }
  printf("%f\n", a[4]);
  return 0;
}
