#include <stdio.h>
#include <omp.h>
#define N 4000
#define MAXT 1024
static int scratch[MAXT][4], res[N];
int main(void) {
#pragma omp target teams distribute parallel for map(tofrom: scratch, res) num_threads(64) //@ bad // or-here
#pragma omp target parallel for map(tofrom: scratch, res) num_threads(64) //@ good
  for (int i = 0; i < N; i++) {
    int *s = scratch[omp_get_thread_num()];
    for (int k = 0; k < 4; k++)
      s[k] = i * k; // expect: race
    res[i] = s[0] + s[3]; // or-here
  }
  printf("%d\n", res[4]);
  return 0;
}
