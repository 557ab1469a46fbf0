#include <stdlib.h>
#include <stdio.h>
typedef struct { int w, h; unsigned char *px; } image;
static inline int at(const unsigned char *p, int w, int x, int y) { return p[y * w + x]; }
void blur(image *im, unsigned char *out) {
  unsigned char *px = im->px;
  int w = im->w, h = im->h;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: px[0:w*h], out[0:w*h]) // or-here
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      int s = at(px, w, x, y) + at(px, w, x - 1, y) + at(px, w, x + 1, y) + at(px, w, x, y - 1) + at(px, w, x, y + 1); // or-here
      px[y * w + x] = s / 5; //@ bad // expect: race
      out[y * w + x] = s / 5; //@ good
    }
}
int main(void) {
  image im = {64, 64, calloc(64 * 64, 1)};
  unsigned char *o = calloc(64 * 64, 1);
  blur(&im, o);
  printf("%d %d\n", im.px[70], o[70]);
  return 0;
}
