// An array of images, mapped by a mapper.
// needs: clang (gcc 12 does not know mappers)
#include <stdio.h>
#include <stdlib.h>
struct img { int w, h; float *px; };
#pragma omp declare mapper(struct img m) map(m, m.px[0:m.w * m.h]) //@ good bad3 bad4
#pragma omp declare mapper(struct img m) map(m, m.px[0:m.w]) //@ bad // expect: mapping [bad]
#pragma omp declare mapper(struct img m) map(m) map(alloc: m.px[0:m.w * m.h]) //@ bad2 // expect: mapping [bad2]
static void fill(struct img *m, int w, int h)
{
    m->w = w;
    m->h = h;
    m->px = malloc(w * h * sizeof *m->px);
    for (int i = 0; i < w * h; i++) m->px[i] = i & 255;
}
int main(void)
{
    struct img m[3];
    for (int k = 0; k < 3; k++) fill(&m[k], 8 + k, 8);
#pragma omp target map(tofrom: m[0:3]) //@ good bad bad2 // expect: mapping [bad bad2]
#pragma omp target map(tofrom: m[0:2]) //@ bad3 // expect: mapping [bad3]
#pragma omp target map(to: m[0:3]) //@ bad4 // expect: mapping [bad4]
    for (int k = 0; k < 3; k++) // expect: mapping [bad3]
        for (int i = 0; i < m[k].w * m[k].h; i++) // expect: mapping [bad3]
            m[k].px[i] = 255.0f - m[k].px[i]; // expect: mapping [bad bad2 bad3]
    for (int k = 0; k < 3; k++) {
        printf("%g\n", m[k].px[5]); // expect: mapping [bad4]
        free(m[k].px);
    }
    return 0;
}
