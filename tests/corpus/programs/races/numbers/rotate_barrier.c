#include <stdio.h>
#include <omp.h>
#define T 8
int main(void) {
  int x[T] = {0};
#pragma omp target parallel num_threads(T) map(tofrom: x)
  {
    int id = omp_get_thread_num();
    for (int t = 0; t < T; t++) {
      x[(id + t) % T] += id; // expect: race
#pragma omp barrier //@ good
    }
  }
  printf("%d\n", x[0]);
  return 0;
}
