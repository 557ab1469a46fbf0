#define N 1024
#define B 32
static float g[N][N], h[N][N];
void relax(void) {
#pragma omp target teams distribute collapse(2) map(tofrom: g, h)
  for (int bi = 1; bi < N - B; bi += B)
    for (int bj = 1; bj < N - B; bj += B) {
#pragma omp parallel for
      for (int i = bi; i < bi + B; i++)
        for (int j = bj; j < bj + B; j++)
          g[i][j] = 0.5f * (g[i][j] + g[i][j + 1]); //@ bad // expect: race
          h[i][j] = 0.5f * (g[i][j] + g[i][j + 1]); //@ good
    }
}
//@ run {
int main(void) {
  relax();
  return h[5][5] != 0;
}
//@ }
