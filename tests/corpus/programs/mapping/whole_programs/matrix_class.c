// A matrix with create, destroy, upload and download functions.
#include <stdlib.h>

typedef struct matrix {
    int rows, cols;
    double *data;
} matrix;

static int matrix_init(matrix *m, int rows, int cols)
{
    m->rows = rows;
    m->cols = cols;
    m->data = malloc((size_t)rows * cols * sizeof *m->data);
    if (!m->data)
        return -1;
#pragma omp target enter data map(alloc: m->data[0:rows*cols]) //@ good bad2 bad3 // or-here [bad3]
#pragma omp target enter data map(alloc: m->data[0:rows]) //@ bad // or-here [bad]
    return 0;
}

static void matrix_free(matrix *m)
{
#pragma omp target exit data map(delete: m->data[0:m->rows*m->cols]) //@ good bad bad3
    free(m->data); // expect: mapping [bad2]
#pragma omp target exit data map(delete: m->data[0:m->rows*m->cols]) //@ bad2 // or-here [bad2]
    m->data = NULL;
}

static void matrix_upload(matrix *m)
{
#pragma omp target update to(m->data[0:m->rows*m->cols]) // or-here [bad]
}

static void matrix_download(matrix *m)
{
#pragma omp target update from(m->data[0:m->rows*m->cols])
}

static void multiply(const matrix *a, const matrix *b, matrix *c)
{
    int n = a->rows, k = a->cols, m = b->cols;
    double *x = a->data, *y = b->data, *z = c->data;
#pragma omp target teams distribute parallel for collapse(2) map(alloc: x[0:n*k], y[0:k*m], z[0:n*m]) // expect: mapping [bad]
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double s = 0.0;
            for (int l = 0; l < k; l++)
                s += x[i * k + l] * y[l * m + j]; // or-here [bad3]
            z[i * m + j] = s;
        }
}

int main(void)
{
    matrix a, b, c;
    if (matrix_init(&a, 8, 6) || matrix_init(&b, 6, 4) || matrix_init(&c, 8, 4))
        return 2;
    for (int i = 0; i < 48; i++)
        a.data[i] = i;
    for (int i = 0; i < 24; i++)
        b.data[i] = i % 5;
    matrix_upload(&a);
    matrix_upload(&b); //@ good bad bad2
    multiply(&a, &b, &c); // expect: mapping [bad3]
    matrix_download(&c);
    double sum = 0, want = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++) {
            sum += c.data[i * 4 + j];
            for (int l = 0; l < 6; l++)
                want += a.data[i * 6 + l] * b.data[l * 4 + j];
        }
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&c);
    return sum != want;
}
