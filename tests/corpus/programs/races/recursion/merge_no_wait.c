#include <stdlib.h>
static void merge(int *a, int *t, int lo, int mid, int hi) {
  int i = lo, j = mid, k = lo;
  while (i < mid && j < hi) t[k++] = a[i] < a[j] ? a[i++] : a[j++];
  while (i < mid) t[k++] = a[i++];
  while (j < hi) t[k++] = a[j++];
  for (k = lo; k < hi; k++) a[k] = t[k];
}
void msort(int *a, int *t, int lo, int hi) {
  if (hi - lo < 2) return;
  int mid = (lo + hi) / 2;
#pragma omp task // or-here
  msort(a, t, lo, mid); // or-here
#pragma omp task // or-here
  msort(a, t, mid, hi); // or-here
#pragma omp taskwait //@ good
  merge(a, t, lo, mid, hi); // expect: race
}
//@ run {
int main(void) {
  int a[50], t[50];
  for (int i = 0; i < 50; i++) a[i] = 49 - i;
#pragma omp parallel
#pragma omp single
  msort(a, t, 0, 50);
  return a[0] != 0 || a[49] != 49;
}
//@ }
