#define CAP 4096
typedef struct { int key, val; } slot;
void insert(int n, const int *k, slot *t) {
#pragma omp target teams distribute parallel for map(to: k[0:n]) map(tofrom: t[0:CAP]) // or-here
  for (int i = 0; i < n; i++) {
    unsigned h = (unsigned)k[i] * 2654435761u % CAP;
    int old; //@ good
#pragma omp atomic capture //@ good
    { old = t[h].val; t[h].val += 1; } //@ good
    (void)old; //@ good
    t[h].val += 1; //@ bad // expect: race
  }
}
//@ run {
int main(void) {
  static slot t[CAP];
  int k[3] = {1, 1, 2}, sum = 0;
  insert(3, k, t);
  for (int i = 0; i < CAP; i++) sum += t[i].val;
  return sum != 3;
}
//@ }
