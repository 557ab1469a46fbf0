#include <stdlib.h>
typedef struct node { int v; struct node *l, *r; } node;
static int found;
void count(node *t, int key) {
  if (!t) return;
#pragma omp task firstprivate(t)
  count(t->l, key); // or-here
#pragma omp task firstprivate(t)
  count(t->r, key); // or-here
  if (t->v == key) {
#pragma omp atomic //@ good
    found++; // expect: race
  }
}
int go(node *t, int key) {
  found = 0;
#pragma omp parallel
#pragma omp single
  count(t, key); // or-here
  return found;
}
//@ run {
int main(void) {
  node l = {3, 0, 0}, r = {4, 0, 0}, t = {3, &l, &r};
  return go(&t, 3) != 2;
}
//@ }
