#include <omp.h>
#define T 128
void rev(int nb, float *x) {
#pragma omp target teams distribute map(tofrom: x[0:nb*T]) thread_limit(T)
  for (int b = 0; b < nb; b++) {
    float sh[T];
#pragma omp parallel num_threads(T) shared(sh)
    {
      int t = omp_get_thread_num();
      sh[t] = x[b * T + t]; // or-here
#pragma omp barrier //@ good
      x[b * T + t] = sh[T - 1 - t]; // expect: race
    }
  }
}
//@ run {
int main(void) {
  static float x[2 * T];
  x[0] = 1;
  rev(2, x);
  return 0;
}
//@ }
