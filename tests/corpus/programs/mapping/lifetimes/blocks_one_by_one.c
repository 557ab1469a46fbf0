// Row blocks are entered by a loader, worked on, and taken back one by one.
#include <stdio.h>
#include <stdlib.h>
static void load(double *m, int row, int w) {
#pragma omp target enter data map(to: m[row*w:w]) //@ good bad bad2 // or-here [bad bad3 bad4]
#pragma omp target enter data map(to: m[row*w:w-1]) //@ bad3 // or-here [bad3]
#pragma omp target enter data map(alloc: m[row*w:w]) //@ bad4 // or-here [bad4]
}
static void store(double *m, int row, int w) {
#pragma omp target exit data map(from: m[row*w:w]) //@ good bad bad3 bad4 // expect: mapping [bad2] // or-here [bad3]
#pragma omp target exit data map(release: m[row*w:w]) //@ bad2 // expect: mapping [bad2]
}
int main(void) {
  int h = 20, w = 30;
  double *m = malloc(h * w * sizeof *m), s = 0;
  for (int i = 0; i < h * w; i++) m[i] = 1;
  for (int r = 0; r < h; r++) {
    load(m, r, w); // or-here [bad]
#pragma omp target teams distribute parallel for // or-here [bad3]
    for (int c = r * w; c < (r + 1) * w; c++) m[c] += r; // expect: mapping [bad3 bad4]
    store(m, r, w); //@ good bad2 bad3 bad4
  }
  for (int i = 0; i < h * w; i++) s += m[i]; // or-here [bad bad2]
  free(m); // expect: mapping [bad]
  printf("%f\n", s);
  return s != 6300;
}
