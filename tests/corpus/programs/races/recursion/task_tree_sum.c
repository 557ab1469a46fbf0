#include <stdlib.h>
typedef struct node { int v; struct node *l, *r; } node;
int sum(node *t) {
  int a = 0, b = 0;
  if (!t) return 0;
#pragma omp task shared(a) // or-here
  a = sum(t->l); // or-here
#pragma omp task //@ bad // or-here
#pragma omp task shared(b) //@ good
  b = sum(t->r);
#pragma omp taskwait //@ good
  return t->v + a + b; // expect: race
}
//@ run {
int main(void) {
  node l = {3, 0, 0}, r = {4, 0, 0}, t = {3, &l, &r};
  return sum(&t) != 10;
}
//@ }
