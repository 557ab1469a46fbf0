// Aligns two sequences: the cells of an anti-diagonal do not need one another, those of a column do.
#include <stdio.h>
#include <stdlib.h>
static void score(int *it, const int *ref, int c, int penalty) {
#pragma omp target data map(tofrom: it[0:c * c]) map(to: ref[0:c * c])
  for (int i = 0; i < c - 1; i++) {
#pragma omp target teams distribute parallel for // or-here
    for (int x = 0; x <= i; x++) {
      int at = (x + 1) * c + (i + 1 - x); //@ good
      int at = (x + 1) * c + (i + 1); //@ bad
      int best = it[at - 1 - c] + ref[at];
      if (best < it[at - 1] - penalty) best = it[at - 1] - penalty;
      it[at] = best < it[at - c] - penalty ? it[at - c] - penalty : best; // expect: race
    }
  }
}
int main(void) {
  int c = 120, *it = calloc(c * c, sizeof(int)), *ref = malloc(sizeof(int) * c * c);
  for (int i = 0; i < c * c; i++) ref[i] = i * 7 % 21 - 10;
  for (int i = 0; i < c; i++) it[i] = it[i * c] = -i;
  score(it, ref, c, 3);
  printf("%d\n", it[(c / 2) * c + c / 2]);
  free(it);
  free(ref);
  return 0;
}
