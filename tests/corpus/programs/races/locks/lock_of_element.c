#include <stdio.h>
#include <omp.h>
#define N 200
int main(void) {
  int total = 0, a[N];
  omp_lock_t l[2];
  omp_init_lock(&l[0]); omp_init_lock(&l[1]);
  for (int i = 0; i < N; i++) a[i] = i;
#pragma omp parallel for // or-here
  for (int i = 0; i < N; i++) {
    omp_set_lock(&l[i % 2]); //@ bad // or-here
    omp_set_lock(&l[0]); //@ good
    total += a[i]; // expect: race
    omp_unset_lock(&l[i % 2]); //@ bad
    omp_unset_lock(&l[0]); //@ good
  }
  printf("%d\n", total);
  return 0;
}
