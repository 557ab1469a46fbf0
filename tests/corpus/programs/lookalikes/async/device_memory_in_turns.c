// Memory that omp_target_alloc gave: two halves in turns, and a moving pointer in `depend`.
#include <omp.h>
#include <stdio.h>
#define N 1024
#define R 8
int main(void)
{
    static int in[N], out[N], grid[R * R];
    int dev = omp_get_default_device(), host = omp_get_initial_device(), wrong = 0;
    int *a = omp_target_alloc(N * sizeof(int), dev), *b = omp_target_alloc(N * sizeof(int), dev);
    if (!a || !b)
        return 0;
    for (int i = 0; i < N; i++)
        in[i] = i;
    omp_target_memcpy(a, in, N * sizeof(int), 0, 0, dev, host);
    #pragma omp target teams distribute parallel for is_device_ptr(a) nowait
    for (int i = 0; i < N / 2; i++)
        a[i] += 1;
    omp_target_memcpy(b, in, N * sizeof(int), 0, 0, dev, host);
    omp_target_memcpy(out, a, N / 2 * sizeof(int), N / 2 * sizeof(int), N / 2 * sizeof(int), host, dev);
    #pragma omp target teams distribute parallel for is_device_ptr(b) nowait
    for (int i = 0; i < N; i++)
        b[i] *= 2;
    #pragma omp taskwait
    omp_target_memcpy(out, a, N / 2 * sizeof(int), 0, 0, host, dev);
    omp_target_free(a, dev);
    omp_target_free(b, dev);
    for (int i = 0; i < N; i++)
        wrong += out[i] != i + (i < N / 2);
    #pragma omp parallel
    #pragma omp single
    {
        int *row = grid + R;
        for (int r = 1; r < R; r++) {
            #pragma omp task depend(inout: row[-r * R]) firstprivate(row, r)
            grid[0] += row[0] + r;
            row += R;
        }
        for (int step = 0; step < 3; step++)
            for (int r = 1; r < R; r++) {
                #pragma omp task depend(in: grid[(r - 1) * R]) depend(inout: grid[r * R])
                grid[r * R] += grid[(r - 1) * R] + 1;
            }
    }
    printf("%d\n", wrong);
    return wrong != 0;
}
