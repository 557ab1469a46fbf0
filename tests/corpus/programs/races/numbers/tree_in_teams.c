#include <stdio.h>
#include <omp.h>
#define T 128
#define G 4
int main(void) {
  static int in[T * G], out[G];
  for (int i = 0; i < T * G; i++) in[i] = 1;
#pragma omp target teams num_teams(G) thread_limit(T) map(to: in) map(from: out)
  {
    int sh[T];
    int g = omp_get_team_num();
#pragma omp parallel num_threads(T) shared(sh)
    {
      int id = omp_get_thread_num();
      sh[id] = in[g * T + id]; // or-here
#pragma omp barrier //@ good
      for (int s = 1; s < T; s *= 2) {
        if (id % (2 * s) == 0 && id + s < T)
          sh[id] += sh[id + s]; // expect: race
#pragma omp barrier
      }
      if (id == 0) out[g] = sh[0];
    }
  }
  printf("%d\n", out[0]);
  return 0;
}
