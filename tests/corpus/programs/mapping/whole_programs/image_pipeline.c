// Gray, blur, threshold: intermediate images never leave the device.
#include <stdlib.h>
typedef unsigned char u8;

static void gray(const u8 *rgb, u8 *out, int w, int h)
{
#pragma omp target teams loop map(to: rgb[0:3*w*h]) map(from: out[0:w*h]) //@ good bad2 bad3
#pragma omp target teams loop map(to: rgb[0:w*h]) map(from: out[0:w*h]) //@ bad // expect: mapping [bad]
    for (int i = 0; i < w * h; i++)
        out[i] = (u8)((rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2]) / 3); // or-here [bad]
}

static void blur(const u8 *in, u8 *out, int w, int h)
{
#pragma omp target teams loop collapse(2) map(to: in[0:w*h]) map(from: out[0:w*h])
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0, count = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int yy = y + dy, xx = x + dx;
                    if (yy >= 0 && yy < h && xx >= 0 && xx < w) {
                        sum += in[yy * w + xx];
                        count++;
                    }
                }
            out[y * w + x] = (u8)(sum / count);
        }
}

static int count_bright(const u8 *img, int w, int h, int limit)
{
    int count = 0;
#pragma omp target teams distribute parallel for reduction(+: count) map(to: img[0:w*h]) map(tofrom: count)
    for (int i = 0; i < w * h; i++)
        count += img[i] >= limit;
    return count;
}

int main(void)
{
    int w = 40, h = 30, pixels = w * h;
    u8 *rgb = malloc(3 * pixels), *a = malloc(pixels), *b = malloc(pixels);
    for (int i = 0; i < 3 * pixels; i++)
        rgb[i] = 100;
    int bright = 0;
#pragma omp target data map(to: rgb[0:3*pixels]) map(alloc: a[0:pixels], b[0:pixels]) //@ good bad3 // or-here [bad3]
#pragma omp target data map(to: rgb[0:3*pixels]) map(alloc: a[0:pixels]) map(from: b[0:pixels]) //@ bad2
#pragma omp target data map(alloc: a[0:pixels], b[0:pixels]) //@ bad
    {
        gray(rgb, a, w, h);
        blur(a, b, w, h);
        bright = count_bright(b, w, h, 100);
        for (int i = 0; i < 5; i++) //@ bad2
            bright += b[i] >= 200 || b[i] < 50; //@ bad2 // expect: mapping [bad2]
    }
    int check = 0; //@ bad3
    for (int i = 0; i < pixels; i++) //@ bad3
        check += b[i] == 100; //@ bad3 // expect: mapping [bad3]
    bright = check; //@ bad3
    free(rgb);
    free(a);
    free(b);
    return bright != pixels;
}
