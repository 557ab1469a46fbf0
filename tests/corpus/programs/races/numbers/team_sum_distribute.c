#include <stdio.h>
#include <omp.h>
#define N 4000
#define G 8
static int part[G * 2], a[N], key[N];
int main(void) {
#pragma omp target teams distribute num_teams(G) map(to: a) map(tofrom: part) // or-here
  for (int i = 0; i < N; i++) {
    part[omp_get_team_num()] += a[i]; //@ good
    part[omp_get_thread_num()] += a[i]; //@ bad // expect: race
  }
  printf("%d\n", part[4]);
  return 0;
}
