#include <stdio.h>
#define K 8
#define N 5000
static double c[K]; static double x[N], sum[K];
static int count[K], of[N];
#pragma omp declare target to(c)
static int nearest(const double *cc, double v, int k) {
  int best = 0;
  double d = 1e300;
  for (int j = 0; j < k; j++) {
    double e = (v - cc[j]) * (v - cc[j]);
    if (e < d) { d = e; best = j; }
  }
  return best;
}
#pragma omp declare target to(nearest)
int main(void) {
  for (int i = 0; i < N; i++) x[i] = i;
#pragma omp target teams distribute parallel for map(to: x) map(tofrom: sum, count) map(from: of) // or-here
  for (int i = 0; i < N; i++) {
    int b = nearest(c, x[i], K);
    of[i] = b;
#pragma omp atomic //@ good
    sum[b] += x[i]; // expect: race
#pragma omp atomic //@ good
    count[b]++; // or-here
  }
  printf("%g\n", sum[2]);
  return 0;
}
