#include <stdio.h>
#include <omp.h>
#define N 1024
#define TEAMS 8
int main(void) {
  double a[N], part[TEAMS] = {0};
  for (int i = 0; i < N; i++) a[i] = 1;
#pragma omp target teams num_teams(TEAMS) map(to: a) map(tofrom: part)
  {
    int t = omp_get_team_num(), nt = omp_get_num_teams();
#pragma omp parallel // or-here
    {
      double mine = 0;
#pragma omp for
      for (int i = t * (N / nt); i < (t + 1) * (N / nt); i++)
        mine += a[i];
#pragma omp atomic //@ good
      part[t] += mine; // expect: race
    }
  }
  double s = 0;
  for (int t = 0; t < TEAMS; t++) s += part[t];
  printf("%g\n", s);
  return 0;
}
