#include <stdio.h>
#include <omp.h>
#define N 10000
static float a[N], b[N];
int main(void) {
  for (int i = 0; i < N; i++) a[i] = b[i] = i;
#pragma omp target teams map(tofrom: a, b)
#pragma omp parallel
  {
    int start = omp_get_team_num() * omp_get_num_threads() + omp_get_thread_num(); //@ good
    int step = omp_get_num_teams() * omp_get_num_threads(); //@ good
    int start = omp_get_thread_num(), step = omp_get_num_threads(); //@ bad
    for (int i = start; i < N; i += step)
      a[i] += b[i]; // expect: race
  }
  printf("%f\n", a[4]);
  return 0;
}
