static void fill(int *a, int lo, int hi) { for (int i = lo; i < hi; i++) a[i] = lo; }
void go(int n, int *a) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    fill(a, 0, n);
#pragma omp task // or-here
    fill(a, n, 2 * n); //@ good
    fill(a, n - 1, 2 * n); //@ bad // expect: race
  }
}
//@ run {
int main(void) {
  int a[20];
  go(10, a);
  return a[0] != 0 || a[19] != 10;
}
//@ }
