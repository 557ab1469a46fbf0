#include <stdio.h>
#define N 1000
#define M 8
static double pos[N], f[N], g[N];
static int near[N][M], cnt[N];
int main(void) {
#pragma omp target teams distribute parallel for map(to: pos, near, cnt) map(tofrom: f, g) // or-here
  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++) {
      double d = pos[i] - pos[near[i][k]];
      f[i] += d; // or-here
      f[near[i][k]] -= d; //@ bad // expect: race
      g[i] -= d; //@ good
    }
  printf("%g\n", f[2]);
  return 0;
}
