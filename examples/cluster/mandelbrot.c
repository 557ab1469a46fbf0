/* mandelbrot: each device makes strips of the image.
 *
 * What to look at: nothing travels to a device but two numbers; a strip comes back. Strips are more than devices, and
 * a device that is done takes the next one: those in the middle take longest. Its rows are the cores' work.
 * A GPU rounds a product and a sum once where the host rounds twice, which moves some points of the border: they are few.
 *     ompls run --device mpinode:4 examples/cluster/mandelbrot.c
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 240
#define HEIGHT 160
#define ROWS 10 /* of a strip */
#define LIMIT 500

#pragma omp declare target
static int steps(double x, double y)
{
    double u = 0, v = 0;
    int n = 0;
    while (n < LIMIT && u * u + v * v < 4) {
        double next = u * u - v * v + x;
        v = 2 * u * v + y;
        u = next;
        n++;
    }
    return n;
}
#pragma omp end declare target

int main(void)
{
    static int image[HEIGHT * WIDTH];
    int devices = omp_get_num_devices(), workers = devices > 0 ? devices : 1, other = 0;
    long sum = 0;
    #pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (int first = 0; first < HEIGHT; first += ROWS) {
        int *strip = &image[first * WIDTH];
        #pragma omp target device(omp_get_thread_num()) map(from: strip[0:ROWS * WIDTH])
        #pragma omp parallel for schedule(dynamic, 1)
        for (int row = 0; row < ROWS; row++)
            for (int column = 0; column < WIDTH; column++)
                strip[row * WIDTH + column] = steps(-2.2 + 3.0 * column / WIDTH, -1.0 + 2.0 * (first + row) / HEIGHT);
    }
    for (int row = 0; row < HEIGHT; row++)
        for (int column = 0; column < WIDTH; column++) {
            sum += image[row * WIDTH + column];
            other += image[row * WIDTH + column] != steps(-2.2 + 3.0 * column / WIDTH, -1.0 + 2.0 * row / HEIGHT);
        }
    int wrong = other > HEIGHT * WIDTH / 50;
    printf("mandelbrot: %ld steps, %s\n", sum, wrong ? "wrong" : "correct");
    return wrong;
}
