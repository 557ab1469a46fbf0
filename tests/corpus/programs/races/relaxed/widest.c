// The widest path in place, with functions for the smaller and the larger of two numbers.
#include <stdio.h>
#define N 72
static int width[N][N];
#pragma omp declare target
static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }
#pragma omp end declare target
int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) width[i][j] = i == j ? 1000 : (i * 31 + j * 17) % 90;
  for (int k = 0; k < N; k++) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: width) // or-here
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        width[i][j] = larger(width[i][j], smaller(width[i][k], width[k][j])); //@ good
        width[i][j] = larger(width[i][j], width[i][k] + width[k][j] + 1); //@ bad // expect: race [bad]
        width[i][j] = smaller(width[i][k], width[k][j]); //@ bad2 // expect: race [bad2]
  }
  long s = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) s += width[i][j];
  printf("%ld\n", s);
  return 0;
}
