#include <stdio.h>
#include <omp.h>
#define T 64
int main(void) {
  int in[T], out = 0;
  for (int i = 0; i < T; i++) in[i] = i;
#pragma omp target teams num_teams(1) thread_limit(T) map(to: in) map(from: out)
  {
    int sh[T];
#pragma omp parallel num_threads(T) shared(sh)
    {
      int id = omp_get_thread_num();
      sh[id] = in[id];
#pragma omp barrier
      for (int s = T / 2; s > 0; s >>= 1) {
        if (id < s)
          sh[id] += sh[id + s]; // expect: race
#pragma omp barrier //@ good
      }
      if (id == 0)
        out = sh[0]; // or-here
    }
  }
  printf("%d\n", out);
  return 0;
}
