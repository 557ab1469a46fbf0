/* A variable length is what it is where C takes it: what it names is changed, or hidden, later. */
#include "tried.h"

#pragma omp declare target
static int width = 3;

static double counts_down(int n, double (*a)[n])
{
    double total = 0;
    for (; n > 0; n--) total += a[n - 1][n - 1];
    return total;
}
static double hides(int n, double (*a)[n])
{
    int n_of_rows = n;
    int total = 0;
    for (int n = 1; n < n_of_rows; n++) total += a[n][n - 1];
    return total;
}
static double of_expression(int n, double (*a)[n + 1 - 1]) { n = 1; return a[1][2] + sizeof a[0]; }
static double of_global(double (*a)[width])
{
    width = 2;
    double found = a[1][1];
    width = 3;
    return found;
}
static double three(int n, int m, double (*a)[n][m]) { n = m = 1; return a[1][1][1] + sizeof *a; }
static double of_array(int n, double a[n][n]) { n--; return a[1][1]; }
static double through_pointer(int n, double a[n][n]) { int *p = &n; *p = 1; return a[1][1]; }
static double steps(int n, double (*a)[n])
{
    double(*b)[n] = a, (*c)[n] = 1 ? a : b;
    n = 1;
    double found = (*++a)[1] + (*b++)[0];
    return found + (b += 1)[0][0] + (a > b ? a : c)[1][1] + (&c[1])[0][2] + (a - c) + sizeof *b;
}
static double before(unsigned n, double (*a)[n]) { int i = -1; a += 1; return a[i][0] + a[i + 1][0]; }

static double typedefs(int n, double *p)
{
    typedef double row[n];
    typedef row rows[2];
    n = 1;
    row *a = (row *)p, b;
    rows c;
    b[2] = 1;
    c[1][1] = p[4];
    return a[1][1] + b[2] + c[1][1] + ((row *)p)[2][0] + sizeof(row) + sizeof b + sizeof c + sizeof(rows);
}
static double casts(int n, double *p)
{
    double found = ((double(*)[n])p)[1][1] + sizeof(double[n]);
    __auto_type kept = (double(*)[n])p;
    n = 2;
    return found + kept[2][1] + ((double(*)[n])p)[1][1] + sizeof(double[n]);
}
static void in_parallel(int n, double (*a)[n], double *p)
{
    typedef double row[n];
#pragma omp parallel for
    for (int i = 0; i < 3; i++) a[i][1] += ((double(*)[n])p)[i][0];
    n = 1;
#pragma omp parallel for
    for (int i = 0; i < 3; i++) a[i][2] += ((row *)p)[i][0] + sizeof(row);
#pragma omp parallel for private(n)
    for (int i = 0; i < 3; i++) {
        n = 1;
        a[i][0] += n;
    }
}
static void tried(double *r, int n)
{
    double a[3][3], b[27];
    for (int i = 0; i < 27; i++) b[i] = i;
    for (int i = 0; i < 9; i++) (&a[0][0])[i] = i + 1;
    r[0] = counts_down(n, a);
    r[1] = hides(n, a);
    r[2] = of_expression(n, a);
    r[3] = of_global(a);
    r[4] = three(n, n, (double(*)[n][n])b);
    r[5] = of_array(n, a);
    r[6] = through_pointer(n, a);
    r[7] = steps(n, a);
    r[8] = before(n, a);
    r[9] = typedefs(n, b);
    r[10] = casts(n, b);
}
#pragma omp end declare target

static void team(double *r, int n)
{
    double a[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
#pragma omp target map(tofrom : a)
    in_parallel(n, a, &a[0][0]);
    for (int i = 0; i < 9; i++) r[i] = (&a[0][0])[i];
}

/* Of variables from outside of the region. */
static void outside(double *r, int n)
{
    double a[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, (*p)[n] = a, (*q)[n] = 0;
    n = 2;
#pragma omp target map(to : p[0 : 3]) map(tofrom : r[0 : 2]) firstprivate(n)
    {
        n = 7;
        r[0] += p[1][1];
    }
#pragma omp target map(to : a) map(tofrom : r[0 : 2]) private(q)
    {
        q = a;
        r[1] = q[1][1];
    }
}

int main(void)
{
    double r[16] = {0}, expected[9] = {2, 3, 28, 5, 9, 34, 8, 15, 40};
    TRY(tried, 3);
    team(r, 3);
    for (int i = 0; i < 9; i++) EXPECT(r[i], expected[i]);
    r[0] = r[1] = 0;
    outside(r, 3);
    EXPECT(r[0], 5);
    EXPECT(r[1], 5);
    return failures != 0;
}
