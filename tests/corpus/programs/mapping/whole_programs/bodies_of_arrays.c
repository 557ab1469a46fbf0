// An array of structures that hold arrays, moved by several regions.
#include <stdio.h>
#include <stdlib.h>
typedef struct {
  float pos[3], vel[3], mass;
} body;
int main(void) {
  int n = 50;
  body *b = malloc(n * sizeof(body));
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) {
      b[i].pos[k] = (float)(i + k);
      b[i].vel[k] = 1;
    }
    b[i].mass = 1;
  }
  float m = 0;
#pragma omp target enter data map(to: b[0:n]) //@ good bad3 bad4
#pragma omp target enter data map(alloc: b[0:n]) //@ bad // expect: mapping
#pragma omp target enter data map(to: b[0:1]) //@ bad2 // expect: mapping
#pragma omp target enter data map(to: b) //@ bad5 // expect: mapping
  for (int s = 0; s < 3; s++) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 3; k++)
        b[i].pos[k] += 0.1f * b[i].vel[k]; // or-here [bad bad2 bad5]
  }
#pragma omp target teams distribute parallel for reduction(+ : m) map(tofrom: m)
  for (int i = 0; i < n; i++)
    m += b[i].mass; // or-here [bad5]
#pragma omp target exit data map(from: b[0:n]) //@ good bad bad2 bad5 // or-here [bad2 bad5]
#pragma omp target exit data map(delete: b[0:n]) //@ bad3 // expect: mapping
#pragma omp target exit data map(to: b[0:n]) //@ bad4 // expect: mapping
  printf("%g %g\n", m, b[n - 1].pos[0]); // or-here [bad3]
  int wrong = b[n - 1].pos[0] < 49.2f; // or-here [bad3]
  free(b);
  return wrong;
}
