/* Copies of arrays of variable length: on target, on constructs inside, by tasks; their sizes; their device addresses. */
#include <omp.h>

#include "expect.h"

static void on_target(int n, int m)
{
    int v[n], w[2][n], u[n][3], t[n][m][2];
    for (int i = 0; i < n; i++) {
        v[i] = w[0][i] = w[1][i] = i;
        for (int j = 0; j < 3; j++)
            u[i][j] = 3 * i + j;
        for (int j = 0; j < m; j++)
            t[i][j][0] = t[i][j][1] = i + j;
    }
    long s = 0;
    const long sizes = (long)(sizeof v + sizeof w + sizeof u + sizeof t);
#pragma omp target firstprivate(v, w, u, t) map(from : s)
    {
        s = (long)(sizeof v + sizeof w + sizeof u + sizeof t);
        v[0] = w[0][0] = u[0][0] = t[0][0][0] = 1000;
        s += v[n - 1] + w[1][n - 1] + u[n - 1][2] + t[n - 1][m - 1][1] + t[0][0][0];
    }
    EXPECT(s, sizes + (n - 1) + (n - 1) + (3 * n - 1) + (n + m - 2) + 1000);
    EXPECT(v[0] + w[0][0] + u[0][0] + t[0][0][0], 0);
#pragma omp target private(v, t) map(from : s)
    {
        s = (long)(sizeof v + sizeof t[0]);
#pragma omp parallel for
        for (int i = 0; i < n; i++) {
            v[i] = 99;
            t[i][m - 1][1] = 5;
        }
        s += v[n - 1] + t[n - 1][m - 1][1];
    }
    EXPECT(s, (long)(sizeof v + sizeof t[0]) + 104);
    s = 0;
#pragma omp target teams distribute parallel for firstprivate(v) reduction(+ : s)
    for (int i = 0; i < n; i++) {
        s += v[i];
        v[i] = 0;
    }
    EXPECT(s, n * (n - 1) / 2);
    s = 0;
#pragma omp target parallel private(v) map(tofrom : s) num_threads(4)
    {
        v[0] = omp_get_thread_num();
#pragma omp barrier
#pragma omp atomic
        s += v[0] == omp_get_thread_num();
    }
    EXPECT(s, 4);
#pragma omp target firstprivate(v) map(from : s)
    {
        v[0] = 5;
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            v[i] += v[i];
        s = v[n - 1] + v[0];
    }
    EXPECT(s, 2 * (n - 1) + 10);
#pragma omp target map(tofrom : v, t) map(from : s)
    {
        s = (long)(sizeof v + sizeof t + sizeof t[0] + sizeof *v);
        v[0] = t[1][1][1] = 44;
    }
    EXPECT(s, (long)(sizeof v + sizeof t + sizeof t[0] + sizeof *v));
    EXPECT(v[0] + t[1][1][1], 88);
#pragma omp target firstprivate(v) nowait map(from : s)
    s = v[0]++;
    v[0] = 0;
#pragma omp taskwait
    EXPECT(s, 44);
}

static void inside(int n, int m)
{
    int v[n], w[n][m];
    for (int i = 0; i < n; i++) {
        v[i] = i;
        for (int j = 0; j < m; j++)
            w[i][j] = i * m + j;
    }
    long s = 0;
#pragma omp target map(tofrom : v, s)
#pragma omp parallel num_threads(3) firstprivate(v) reduction(+ : s)
    {
        v[0] += 1;
        s += v[0] + v[n - 1] + (long)sizeof v;
    }
    EXPECT(v[0], 0);
    EXPECT(s, 3 * (n + (long)sizeof v));
    s = 0;
#pragma omp target map(tofrom : w, s)
#pragma omp parallel num_threads(3) private(w) reduction(+ : s)
    {
        w[n - 1][m - 1] = omp_get_thread_num();
        s += (long)(sizeof w + sizeof w[0]) + w[n - 1][m - 1];
    }
    EXPECT(w[n - 1][m - 1], n * m - 1);
    EXPECT(s, 3 * (long)(sizeof w + sizeof w[0]) + 3);
#pragma omp target map(tofrom : v, w)
    {
#pragma omp task
        v[0] = w[0][0] = 99;
#pragma omp taskwait
        v[1] = 97;
    }
    EXPECT(v[0] + w[0][0] + v[1], 97);
#pragma omp target map(from : s)
    {
        int own[n], rows[n][3];
        own[0] = 1;
#pragma omp task
        own[0] = 2;
#pragma omp taskwait
        rows[n - 1][2] = 7;
        int(*p)[3] = rows;
        s = own[0] + p[n - 1][2] + (long)(sizeof rows / sizeof *p);
    }
    EXPECT(s, 8 + n);
}

static void addresses(int n)
{
    int v[n], c[3] = {1, 2, 3}, s = 0;
    for (int i = 0; i < n; i++)
        v[i] = i;
#pragma omp target data map(to : v, c) use_device_addr(v, c)
#pragma omp target is_device_ptr(v, c) map(from : s)
    s = v[n - 1] * 10 + c[2];
    EXPECT(s, (n - 1) * 10 + 3);
}

/* Pointers to rows: their copies, and the variables themselves. */
static void pointers(int n)
{
    int b[4][n], dev = omp_get_default_device(), here = omp_get_initial_device();
    int(*d)[n] = omp_target_alloc(sizeof b, dev), (*p)[n] = b;
#pragma omp target firstprivate(d)
    for (int j = 0; j < 4 * n; j++)
        d[0][j] = j;
#pragma omp target is_device_ptr(d)
    {
        int(*other)[n] = d + 1;
        (other + 1)[1][n - 1] = 77;
    }
    omp_target_memcpy(b, d, sizeof b, 0, 0, here, dev);
    omp_target_free(d, dev);
    EXPECT(b[2][1], 2 * n + 1);
    EXPECT(b[3][n - 1], 77);
    int step = 0;
#pragma omp target map(tofrom : p) map(from : step)
    {
        step = (int)((char *)(p + 1) - (char *)p);
        p = p + 2;
    }
    EXPECT(step, n * (int)sizeof(int));
    EXPECT(p - b, 2);
#pragma omp target teams distribute parallel for lastprivate(p) map(to : b)
    for (int i = 0; i < 4; i++)
        p = b + i;
    (void)p;  // a place on the device
#pragma omp target private(p) map(tofrom : b)
    {
        p = b;
        p[1][2] = 78;
    }
    EXPECT(b[1][2], 78);
}

int main(void)
{
    pointers(7);
    on_target(7, 3);
    on_target(300, 2);
    inside(5, 3);
    addresses(4);
    return failures != 0;
}
