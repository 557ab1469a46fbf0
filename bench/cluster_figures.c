/* The programs of the paper on cluster nodes (figures 2 to 9), of our own making: cluster_figures.py builds and runs them.

   NAME SIZE [SIZE]: the time of the parallel part, without the start of nodes, and a sum that all runs agree on.  Without
   devices the one part is done here, by a team, which is what the nodes are compared with. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH 300 /* of a protein */
#define LIMIT 200  /* steps of a point */
#define SMALL 20   /* fib below it is no tasks */

#pragma omp declare target
/* The best score of a local alignment of two proteins (Smith and Waterman): a match 3, a mismatch or a gap -2. */
static int align(const char *a, const char *b)
{
    int row[LENGTH + 1] = {0}, best = 0;
    for (int i = 0; i < LENGTH; i++) {
        int corner = 0;
        for (int j = 0; j < LENGTH; j++) {
            int score = corner + (a[i] == b[j] ? 3 : -2), gap = (row[j] > row[j + 1] ? row[j] : row[j + 1]) - 2;
            corner = row[j + 1];
            score = score > gap ? score : gap;
            row[j + 1] = score > 0 ? score : 0;
            best = best > row[j + 1] ? best : row[j + 1];
        }
    }
    return best;
}

static int steps(double x, double y)
{
    double u = 0, v = 0;
    int n = 0;
    for (; n < LIMIT && u * u + v * v < 4; n++) {
        double next = u * u - v * v + x;
        v = 2 * u * v + y;
        u = next;
    }
    return n;
}

static long serial_fib(int n)
{
    return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2);
}

static long fib(int n)
{
    long first, second;
    if (n < SMALL)
        return serial_fib(n);
    #pragma omp task shared(first)
    first = fib(n - 1);
    second = fib(n - 2);
    #pragma omp taskwait
    return first + second;
}

static void factor(double *d, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            d[i * n + k] /= d[k * n + k];
            for (int j = k + 1; j < n; j++)
                d[i * n + j] -= d[i * n + k] * d[k * n + j];
        }
}

static void forward(const double *d, double *right, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = 0; j < n; j++)
                right[i * n + j] -= d[i * n + k] * right[k * n + j];
}

static void divide(const double *d, double *below, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            below[i * n + k] /= d[k * n + k];
            for (int j = k + 1; j < n; j++)
                below[i * n + j] -= below[i * n + k] * d[k * n + j];
        }
}

static void subtract_product(double *inner, const double *left, const double *above, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                inner[i * n + j] -= left[i * n + k] * above[k * n + j];
}
#pragma omp end declare target

/* Figures 2 and 3: each device does a part of the table of scores. */
static double alignment(int count, int unused, int parts)
{
    int size = count * LENGTH, cells = count * count, *scores = malloc(cells * sizeof *scores);
    char *proteins = malloc(size);
    unsigned seed = 1;
    double sum = 0;
    (void)unused;
    for (int i = 0; i < size; i++)
        proteins[i] = "ARNDCQEGHILKMFPSTWYV"[(seed = seed * 1664525 + 1013904223) >> 16 & 15];
    #pragma omp parallel for num_threads(parts)
    for (int d = 0; d < parts; d++) {
        int first = (int)((long)cells * d / parts), number = (int)((long)cells * (d + 1) / parts) - first;
        #pragma omp target device(d) map(to: proteins[0:size]) map(from: scores[first:number])
        #pragma omp parallel
        #pragma omp single
        for (int cell = first; cell < first + number; cell++) {
            #pragma omp task
            scores[cell] = align(proteins + cell / count * LENGTH, proteins + cell % count * LENGTH);
        }
    }
    for (int cell = 0; cell < cells; cell++)
        sum += scores[cell];
    free(scores);
    free(proteins);
    return sum;
}

/* Figures 4 and 5: a strip of the image for each device. */
static double mandelbrot(int n, int unused, int parts)
{
    int *image = malloc((size_t)n * n * sizeof *image);
    double sum = 0;
    (void)unused;
    #pragma omp parallel for num_threads(parts)
    for (int d = 0; d < parts; d++) {
        int first = (int)((long)n * d / parts), rows = (int)((long)n * (d + 1) / parts) - first, *strip = image + (size_t)first * n;
        #pragma omp target device(d) map(from: strip[0:(size_t)rows * n])
        #pragma omp parallel for schedule(dynamic)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < n; j++)
                strip[(size_t)i * n + j] = steps(-2.2 + 3.0 * j / n, -1.5 + 3.0 * (first + i) / n);
    }
    for (long i = 0; i < (long)n * n; i++)
        sum += image[i];
    free(image);
    return sum;
}

/* Figures 6 and 7: the host cuts the tree into as many pieces as there are devices. */
static double fibonacci(int n, int unused, int parts)
{
    int pieces[256] = {n}, count = 1;
    long sum = 0;
    (void)unused;
    for (; count < parts && count < 256; count++) {
        int largest = 0;
        for (int i = 1; i < count; i++)
            if (pieces[i] > pieces[largest])
                largest = i;
        pieces[count] = pieces[largest] - 2;
        pieces[largest]--;
    }
    #pragma omp parallel for num_threads(count) schedule(static, 1) reduction(+: sum)
    for (int d = 0; d < count; d++) {
        int piece = pieces[d];
        long found = 0;
        #pragma omp target device(d) map(from: found)
        #pragma omp parallel
        #pragma omp single
        found = fib(piece);
        sum += found;
    }
    return (double)sum;
}

/* Figures 8 and 9: nb times nb blocks, most of them empty at first, of bs times bs numbers; block rows are dealt out, and each
   step's goes to all. */
static double sparselu(int nb, int bs, int parts)
{
    int block = bs * bs;
    char *there = malloc((size_t)nb * nb);
    double **rows = malloc(nb * sizeof *rows), sum = 0;
    for (int i = 0; i < nb; i++) {
        rows[i] = malloc((size_t)nb * block * sizeof(double));
        for (int j = 0; j < nb; j++) {
            there[i * nb + j] = i == j || (i + 2 * j) % 5 == 0;
            for (int k = 0; k < block; k++)
                rows[i][j * block + k] = !there[i * nb + j] ? 0 : (i * 7 + j * 3 + k) % 11 / 11.0 + (i == j && k % (bs + 1) == 0 ? 4.0 * nb * bs : 0);
        }
    }
    for (int k = 0; k < nb; k++)
        for (int i = k + 1; i < nb; i++)
            for (int j = k + 1; j < nb; j++)
                there[i * nb + j] |= there[i * nb + k] && there[k * nb + j];
    for (int i = 0; i < nb; i++) {
        #pragma omp target enter data device(i % parts) map(to: rows[i][0:nb * block])
    }
    for (int d = 0; d < parts; d++) {
        #pragma omp target enter data device(d) map(to: there[0:nb * nb])
    }
    for (int k = 0; k < nb; k++) {
        double *pivot = rows[k];
        int length = (nb - k) * block;
        #pragma omp target device(k % parts) map(alloc: pivot[0:nb * block], there[0:nb * nb])
        {
            factor(pivot + k * block, bs);
            #pragma omp parallel for schedule(dynamic)
            for (int j = k + 1; j < nb; j++)
                if (there[k * nb + j])
                    forward(pivot + k * block, pivot + j * block, bs);
        }
        #pragma omp target update device(k % parts) from(pivot[k * block:length])
        #pragma omp parallel for num_threads(parts)
        for (int d = 0; d < parts; d++) {
            #pragma omp target data device(d) map(to: pivot[k * block:length])
            for (int i = k + 1; i < nb; i++) {
                double *row = rows[i];
                if (i % parts != d || !there[i * nb + k])
                    continue;
                #pragma omp target device(d) map(alloc: row[0:nb * block], pivot[k * block:length], there[0:nb * nb])
                {
                    divide(pivot + k * block, row + k * block, bs);
                    #pragma omp parallel for schedule(dynamic)
                    for (int j = k + 1; j < nb; j++)
                        if (there[k * nb + j])
                            subtract_product(row + j * block, row + k * block, pivot + j * block, bs);
                }
            }
        }
    }
    for (int i = 0; i < nb; i++) {
        #pragma omp target exit data device(i % parts) map(from: rows[i][0:nb * block])
        for (int k = 0; k < nb * block; k++)
            sum += rows[i][k];
        free(rows[i]);
    }
    for (int d = 0; d < parts; d++) {
        #pragma omp target exit data device(d) map(release: there[0:nb * nb])
    }
    free(rows);
    free(there);
    return sum;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(int, int, int);
    } programs[] = {{"alignment", alignment}, {"mandelbrot", mandelbrot}, {"fib", fibonacci}, {"sparselu", sparselu}};
    int devices = omp_get_num_devices();
    for (int d = 0; d < devices; d++) { /* started */
        #pragma omp target device(d)
        { }
    }
    for (int i = 0; i < 4 && argc > 2; i++) {
        if (strcmp(argv[1], programs[i].name) != 0)
            continue;
        double begin = omp_get_wtime(), sum = programs[i].run(atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 0, devices > 0 ? devices : 1);
        printf("seconds %.6f\nsum %.10g\n", omp_get_wtime() - begin, sum);
        return 0;
    }
    return 2;
}
