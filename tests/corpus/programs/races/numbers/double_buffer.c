#include <stdio.h>
#include <omp.h>
#define T 8
int main(void) {
  int buf[2][T] = {{0}}, out[T] = {0};
#pragma omp target parallel num_threads(T) map(tofrom: buf, out)
  {
    int id = omp_get_thread_num();
    for (int t = 0; t < 10; t++) {
      buf[t % 2][id] = id + t; //@ good
      buf[0][id] = id + t; //@ bad // or-here
#pragma omp barrier
      out[id] += buf[t % 2][(id + 1) % T]; //@ good
      out[id] += buf[0][(id + 1) % T]; //@ bad // expect: race
    }
  }
  printf("%d\n", out[0]);
  return 0;
}
