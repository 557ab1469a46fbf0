#include <omp.h>
void tops(int n, const int *x, int *top) {
#pragma omp target teams num_teams(16) map(to: x[0:n]) map(tofrom: top[0:16])
  {
    int t = omp_get_team_num();
#pragma omp distribute parallel for //@ bad // or-here
#pragma omp distribute //@ good
    for (int i = 0; i < n; i++)
      if (x[i] > top[t]) // or-here
        top[t] = x[i]; // expect: race
  }
}
//@ run {
int main(void) {
  int x[100], top[16] = {0}, most = 0;
  for (int i = 0; i < 100; i++) x[i] = i;
  tops(100, x, top);
  for (int t = 0; t < 16; t++) most = top[t] > most ? top[t] : most;
  return most != 99;
}
//@ }
