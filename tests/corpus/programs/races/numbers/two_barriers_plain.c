#include <stdio.h>
#include <omp.h>
#define T 64
int main(void) {
  int a[T + 1] = {0};
#pragma omp parallel num_threads(T)
  {
    int id = omp_get_thread_num();
    for (int t = 0; t < 10; t++) {
      int left = a[id + 1]; // or-here
#pragma omp barrier
      a[id] = left + 1; // expect: race
#pragma omp barrier //@ good
    }
  }
  printf("%d\n", a[0]);
  return 0;
}
