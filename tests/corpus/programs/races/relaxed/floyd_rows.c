// Shortest paths and the next town on each, a row for each thread; the steps come one after the other.
#include <stdio.h>
#define N 96
static float d[N][N];
static int next[N][N];
int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      d[i][j] = i == j ? 0 : 1 + (i * 13 + j * 7) % 40;
      next[i][j] = j;
    }
#pragma omp target data map(tofrom: d, next)
  for (int k = 0; k < N; k++) { //@ good
#pragma omp target teams distribute parallel for // or-here
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        if (d[i][j] > d[i][k] + d[k][j]) { //@ good
          d[i][j] = d[i][k] + d[k][j]; //@ good
          next[i][j] = next[i][k]; //@ good
        } //@ good
  } //@ good
//@ bad {
#pragma omp target teams distribute parallel for // or-here
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        if (d[i][j] > d[i][k] + d[k][j])
          d[i][j] = d[i][k] + d[k][j]; // expect: race [bad]
//@ }
  double s = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) s += d[i][j] + next[i][j];
  printf("%g\n", s);
  return 0;
}
