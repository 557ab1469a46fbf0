// The destructor frees before it unmaps.
#include <stdio.h>
#include <stdlib.h>

typedef struct image { int w, h; unsigned char *px; } image;

static image *image_new(int w, int h)
{
    image *im = malloc(sizeof *im);
    im->w = w;
    im->h = h;
    im->px = calloc(w * h, 1);
    unsigned char *px = im->px;
#pragma omp target enter data map(to: px[0:w*h]) // or-here
    return im;
}

static void image_delete(image *im)
{
    unsigned char *px = im->px;
    free(im->px); //@ bad // expect: mapping
#pragma omp target exit data map(delete: px[0:im->w*im->h]) // or-here
    free(im->px); //@ good
    free(im);
}

int main(void)
{
    image *im = image_new(10, 10);
    unsigned char *px = im->px;
#pragma omp target
    for (int i = 0; i < 100; i++)
        px[i] = (unsigned char)i;
#pragma omp target update from(px[0:100])
    int wrong = im->px[99] != 99;
    image_delete(im);
    return wrong;
}
