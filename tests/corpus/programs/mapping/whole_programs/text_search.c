// A string literal and part of a global structure are mapped through pointers.
#include <stdio.h>
#include <string.h>
#define MAX 4096
struct request {
  char text[MAX];
  int length, hits;
};
static struct request req;
static int count(const char *pat) {
  int m = (int)strlen(pat), hits = 0, n = req.length;
  const char *t = req.text;
#pragma omp target teams distribute parallel for map(to: t[0:n], pat[0:m]) map(tofrom: hits) reduction(+ : hits) //@ good
#pragma omp target teams distribute parallel for map(to: t[0:n]) map(tofrom: hits) reduction(+ : hits) //@ bad // expect: mapping
#pragma omp target teams distribute parallel for map(to: t[0:m], pat[0:m]) map(tofrom: hits) reduction(+ : hits) //@ bad2 // expect: mapping
#pragma omp target teams distribute parallel for map(alloc: t[0:n]) map(to: pat[0:m]) map(tofrom: hits) reduction(+ : hits) //@ bad3 // expect: mapping
#pragma omp target teams distribute parallel for map(to: t[0:n], pat[0:m - 1]) map(tofrom: hits) reduction(+ : hits) //@ bad4 // expect: mapping
  for (int i = 0; i <= n - m; i++) {
    int same = 1;
    for (int k = 0; k < m; k++)
      same &= t[i + k] == pat[k]; // or-here [bad bad2 bad3 bad4]
    hits += same;
  }
  return hits;
}
int main(void) {
  for (int i = 0; i < 1000; i++)
    req.text[i] = "abc"[i % 3];
  req.length = 1000;
  req.hits = count("bca");
  printf("%d\n", req.hits);
  return req.hits != 333;
}
