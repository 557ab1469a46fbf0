#include <stdio.h>
#define NE 3000
#define NV 3000
#define NC 4
typedef struct { int a, b; } edge;
static edge e[NE];
static int start[NC + 1];
static double flux[NV];
int main(void) {
  for (int c = 0; c < NC; c++) { //@ good
    int lo = start[c], hi = start[c + 1]; //@ good
    int lo = 0, hi = NE; //@ bad
#pragma omp target teams distribute parallel for map(to: e) map(tofrom: flux) // or-here
    for (int i = lo; i < hi; i++) {
      int a = e[i].a, b = e[i].b;
      flux[a] += 1.5; // expect: race
      flux[b] -= 1.5; // or-here
    }
  } //@ good
  printf("%g\n", flux[2]);
  return 0;
}
