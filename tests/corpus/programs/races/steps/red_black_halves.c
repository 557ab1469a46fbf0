// Red and black points of a grid, of which each half step goes through those of one colour only.
#include <stdio.h>
#define N 130
static double u[N][N];
int main(void) {
  for (int i = 0; i < N; i++) u[0][i] = u[i][0] = i;
#pragma omp target data map(tofrom: u)
  for (int t = 0; t < 40; t++)
    for (int colour = 0; colour < 2; colour++)
#pragma omp target teams distribute parallel for collapse(2) // or-here
      for (int i = 1; i < N - 1; i++)
        for (int half = 0; half < (N - 2) / 2; half++) {
          int j = 1 + 2 * half + ((i + colour) & 1); //@ good
          int j = 1 + 2 * half + (i & 1) * colour; //@ bad
          u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]); // expect: race
        }
  double s = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) s += u[i][j];
  printf("%.4f\n", s);
  return 0;
}
