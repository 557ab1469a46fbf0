#include <stdio.h>
#include <omp.h>
#define T 32
int main(void) {
  int v[T], s = 0;
  for (int i = 0; i < T; i++) v[i] = i;
#pragma omp target map(tofrom: v, s)
#pragma omp parallel num_threads(T)
  {
    int id = omp_get_thread_num();
    for (int o = T / 2; o >= 1; o /= 2) {
      int other = id + o < T ? v[id + o] : 0; // or-here
#pragma omp barrier
      v[id] += other; // expect: race
#pragma omp barrier //@ good
    }
    if (id == 0) s = v[0]; // or-here
  }
  printf("%d\n", s);
  return 0;
}
