#include <stdio.h>
#define NE 3000
#define NV 1000
typedef struct { int a, b; double w; } edge;
static edge e[NE];
static double flux[NV];
int main(void) {
  int ne = NE;
  for (int i = 0; i < NE; i++) { e[i].a = i % NV; e[i].b = (i * 7 + 1) % NV; e[i].w = 1; }
#pragma omp target teams distribute parallel for map(to: e) map(tofrom: flux) // or-here
  for (int i = 0; i < ne; i++) {
    double w = e[i].w;
#pragma omp atomic //@ good
    flux[e[i].a] += w; // expect: race
#pragma omp atomic //@ good
    flux[e[i].b] -= w; // or-here
  }
  printf("%g\n", flux[2]);
  return 0;
}
