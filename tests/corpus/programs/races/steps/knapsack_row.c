#include <stdio.h>
#define W 1000
static int best[W + 1], next[W + 1];
void item(int w, int v) {
#pragma omp target teams distribute parallel for map(tofrom: best, next) firstprivate(w, v) // or-here
  for (int c = w; c <= W; c++) {
    int with = best[c - w] + v; // or-here
    best[c] = with > best[c] ? with : best[c]; //@ bad // expect: race
    next[c] = with > best[c] ? with : best[c]; //@ good
  }
}
//@ run {
int main(void) {
  item(3, 5);
  return next[2] != 0 || next[3] != 5;
}
//@ }
