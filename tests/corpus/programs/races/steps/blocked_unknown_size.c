#include <stdio.h>
void f(int n, int bs, int *a) {
#pragma omp target teams distribute parallel for map(tofrom: a[0:n]) // or-here
  for (int b = 0; b < n; b += bs)
    for (int k = 0; k < bs; k++) {
      a[b + k] += 1; //@ good
      if (b + k + 1 < n) a[b + k] += a[b + k + 1]; //@ bad // expect: race
    }
}
//@ run {
int main(void) {
  static int a[100];
  f(100, 10, a);
  return a[0] != 1 || a[99] != 1;
}
//@ }
