/* Arrays whose lengths are variables: as locals, as parameters, as pointers to rows, in functions, in parallel regions. */
#include <stdlib.h>

#include "tried.h"

#pragma omp declare target
/* Arrays with more elements than an `int` counts, of which only addresses and sizes are taken. */
static double far_in_parameter(int n, char a[n][n]) { return &a[n - 1][n - 1] - &a[0][0]; }
static double far_in_two(int n, unsigned char m, char (*a)[n][n - 1][m])
{
    double there = (char *)(a + 1) - (char *)a + (&a[1][2][3][4] - &a[0][0][0][0]) + sizeof *a;
    char(*b)[n][n - 1][m] = a;
    b++;
    b -= -2;
    return there + (double)((char *)b - (char *)a) + (b - a);
}
static double far_of_unsigned(unsigned n, char (*a)[n][n]) { return (char *)(a - 1) - (char *)a + (double)sizeof *a; }
static void far(double *r, int n)
{
    n = 15000 * n + 1400; /* 46400 */
    unsigned u = 70000;
    char c[1], *p = c;
    typedef double square[n][n];
    r[0] = far_in_parameter(n, (char(*)[n])p);
    r[1] = far_in_two(n, 255, (char(*)[n][n - 1][255])p);
    r[2] = far_of_unsigned(u, (char(*)[u][u])p);
    r[3] = sizeof(square) + sizeof(double[n][n]) + sizeof(short[n][n - 1][2]);
    r[4] = (char *)((char(*)[n][n])p + 1) - p;
    r[5] = &((char(*)[n])p)[n - 1][n - 1] - p;
    r[6] = &((char(*)[n][n])p)[-1][n - 1][1] - p;
    r[7] = ((char(*)[u][u])p + 3) - (char(*)[u][u])p;
    size_t z = n;
    r[8] = (char(*)[z][z])p - ((char(*)[z][z])p + 3);
}

/* The cast's type, not that of what is cast, says what an element is. */
static void through_casts(double *r, int m)
{
    float f[6];
    for (int i = 0; i < 6; i++) f[i] = 2;
    unsigned char *bytes = (unsigned char *)f;
    void *unknown = f;
    ((float(*)[m])unknown)[2][1] = 7;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < m; j++) r[2 * i + j] = ((float(*)[m])bytes)[i][j];
}

/* What a loop declares is declared in front of it, for the loop alone. */
static void in_loops(double *r, int n)
{
    double a[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, *w = &a[2][2];
    int k = 5;
    if (n == 3)
        for (double(*w)[n] = a, *k = &a[2][0]; w < a + 3; w++, n = 1) {
            if (w == a + 1) continue;
            r[0] += (*w)[1] + *k;
        }
    else
        r[1] = 1;
    n = 3;
    for (double(*w)[n] = a; w < a + 2; w++)
        for (double row[n], (*v)[n] = a; v < a + 2; v++) {
            row[2] = v[0][2];
            double w = row[2];
            r[2] += w;
        }
    typedef char block[n][n];
    block *b = 0;
    r[3] = (char *)(b + 1) - (char *)b;
    r[4] = *w + k;
#pragma omp simd
    for (double(*w)[n] = a; w < a + 3; w++) r[5] += w[0][0];
}
#pragma omp end declare target

static double total_of_row(int m, const double row[m])
{
    double total = 0;
    for (int j = 0; j < m; j++)
        total += row[j];
    return total;
}
static double corner(int n, int m, double a[n][m]) { return a[n - 1][m - 1]; }

static void scale(int n, int m, double a[n][m], double factor)
{
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] *= factor;
}

enum { Z = 5, Y = 6, X = 7 };

/* Lengths that are parameters: those of one name are one; the parameter may be changed later, its array stays. */
static void around(int nz, int ny, short nx, double a[nz][ny][nx], double b[nz][ny][nx], unsigned nu, int u[nu][nu])
{
    ny += 3;
#pragma omp target teams distribute parallel for collapse(3) map(to : a[0 : nz]) map(tofrom : b[0 : nz])
    for (int z = 1; z < nz - 1; z++)
        for (size_t y = 1; y < Y - 1; y++)
            for (short x = 1; x < nx - 1; x++)
                b[z][y][x] = a[z][y][x] + a[z - 1][y][x] + 2 * a[z + 1][y][x] + 4 * a[z][y - 1][x] + 8 * a[z][y + 1][x]
                             + 16 * a[z][y][x - 1] + 32 * a[z][y][x + 1] + 64 * a[z - 1][y + 1][x - 1] + ny;
#pragma omp target map(tofrom : u[0 : nu])
    for (unsigned i = nu; i-- > 0;)
        for (unsigned j = 0; j < nu; j++) {
            u[i][j] += 100 * u[i + 1 - 1][j];
            if (i == 0) u[i - 1 + 1][j]++; /* where the sum has been cut to 32 bits */
        }
}

static int wrong_around(void)
{
    static double a[Z][Y][X], b[Z][Y][X];
    int u[3][3], wrong = 0;
    for (int k = 0; k < Z * Y * X; k++) (&a[0][0][0])[k] = k % 11;
    for (int k = 0; k < 9; k++) (&u[0][0])[k] = k;
    around(Z, Y, X, a, b, 3, u);
    for (int z = 1; z < Z - 1; z++)
        for (int y = 1; y < Y - 1; y++)
            for (int x = 1; x < X - 1; x++)
                wrong += b[z][y][x] != a[z][y][x] + a[z - 1][y][x] + 2 * a[z + 1][y][x] + 4 * a[z][y - 1][x]
                                           + 8 * a[z][y + 1][x] + 16 * a[z][y][x - 1] + 32 * a[z][y][x + 1]
                                           + 64 * a[z - 1][y + 1][x - 1] + Y + 3;
    for (int k = 0; k < 9; k++) wrong += (&u[0][0])[k] != 101 * k + (k < 3);
    return wrong;
}

int main(void)
{
    int n = 13, m = 7, k = 3, wrong = wrong_around();
    TRY(far, 3);
    TRY(through_casts, 2);
    TRY(in_loops, 3);
    double a[n][m], sums[n];
    double(*cube)[m][k] = malloc(n * sizeof *cube);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            a[i][j] = i * 10 + j;
            for (int l = 0; l < k; l++)
                cube[i][j][l] = i + j + l;
        }
    scale(n, m, a, 2);
#pragma omp target teams distribute parallel for map(to : a) map(from : sums)
    for (int i = 0; i < n; i++)
        sums[i] = total_of_row(m, a[i]) + corner(n, m, a);
#pragma omp target map(tofrom : cube[0 : n])
    {
        cube[0][0][0] = 100;
#pragma omp parallel for
        for (int i = 1; i < n; i++)
            for (int l = 0; l < k; l++)
                cube[i][m - 1][l] += cube[0][0][0];
    }
    for (int i = 0; i < n; i++) {
        double expected = 2 * (10 * i * m + m * (m - 1) / 2) + 2 * ((n - 1) * 10 + m - 1);
        wrong += sums[i] != expected;
        wrong += cube[i][m - 1][k - 1] != i + m - 1 + k - 1 + (i ? 100 : 0);
    }
    if (wrong)
        printf("%d wrong: %g %g\n", wrong, sums[1], cube[1][m - 1][k - 1]);
    free(cube);
    return wrong + failures != 0;
}
