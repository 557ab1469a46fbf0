#include <stdio.h>
struct flags { unsigned a : 1; unsigned b : 1; unsigned : 0; unsigned c : 1; int id; };
static struct flags f[100];
int main(void) {
#pragma omp target map(tofrom: f)
#pragma omp parallel sections
  {
#pragma omp section // or-here
    for (int i = 0; i < 100; i++) f[i].a = 1; // or-here
#pragma omp section // or-here
    for (int i = 0; i < 100; i++) f[i].c = 1; //@ good
    for (int i = 0; i < 100; i++) f[i].b = 1; //@ bad // expect: race
  }
  printf("%d\n", f[0].a + f[0].c);
  return f[3].a != 1;
}
