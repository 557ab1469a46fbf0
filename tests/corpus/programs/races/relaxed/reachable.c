// What can be reached from where: a row is joined with row k, which is joined with itself at i == k.
#include <stdio.h>
#include <stdlib.h>
static unsigned char *make(int n) {
  unsigned char *r = calloc(n, n);
  for (int i = 0; r && i < n; i++) r[i * n + (i * 5 + 3) % n] = r[i * n + i] = 1;
  return r;
}
int main(void) {
  int n = 80;
  unsigned char *r = make(n);
  if (!r) return 1;
#pragma omp target enter data map(to: r[0:n * n])
  for (int k = 0; k < n; k++)
#pragma omp target teams distribute parallel for // or-here
    for (int i = 0; i < n; i++) {
      if (!r[i * n + k]) continue; //@ good
      for (int j = 0; j < n; j++)
        r[i * n + j] |= r[k * n + j]; //@ good
        r[i * n + j] ^= r[k * n + j]; //@ bad // expect: race [bad]
        r[i * n + j] = r[k * n + j] + 1; //@ bad2 // expect: race [bad2]
    }
#pragma omp target exit data map(from: r[0:n * n])
  int s = 0;
  for (int i = 0; i < n * n; i++) s += r[i];
  printf("%d\n", s);
  free(r);
  return 0;
}
