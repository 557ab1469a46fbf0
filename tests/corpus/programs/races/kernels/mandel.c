#include <stdio.h>
#define W 200
#define H 100
static unsigned char img[H][W];
int main(void)
{
    double zr, zi, t;
    int inside = 0;
    #pragma omp parallel for private(zr, zi, t) reduction(+: inside) schedule(dynamic) //@ good
    #pragma omp parallel for private(zr, zi) reduction(+: inside) schedule(dynamic) //@ bad // or-here
    #pragma omp parallel for private(zr, zi, t) schedule(dynamic) //@ bad2 // or-here
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            double cr = -2 + 3.0 * x / W, ci = -1 + 2.0 * y / H;
            int k;
            zr = zi = 0;
            for (k = 0; k < 100 && zr * zr + zi * zi < 4; k++) {
                t = zr * zr - zi * zi + cr; // expect: race [bad]
                zi = 2 * zr * zi + ci;
                zr = t; // or-here
            }
            img[y][x] = (unsigned char)k;
            if (k == 100)
                inside++; // expect: race [bad2]
        }
    printf("%d %d\n", inside, img[3][4]);
    return 0;
}
