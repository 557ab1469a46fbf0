// Of many rows on the device the host looks at one, which it has fetched; another one it changes and sends.
#include <stdlib.h>
#define N 16

int main(int argc, char **argv)
{
    (void)argv;
    int k = argc % N, wrong;
    float *rows[N];
    for (int i = 0; i < N; i++)
        rows[i] = calloc(N, sizeof(float));
    for (int i = 0; i < N; i++) {
#pragma omp target enter data map(to: rows[i][0:N])
    }
    rows[k][3] = 10;
#pragma omp target update to(rows[k][0:N])
    for (int i = 0; i < N; i++) {
        float *r = rows[i];
#pragma omp target teams distribute parallel for
        for (int j = 0; j < N; j++)
            r[j] += i;
    }
#pragma omp target update from(rows[k][0:N])
    wrong = rows[k][3] != 10 + k;
#pragma omp target update from(rows[2][0:N])
    wrong += rows[2][3] != (k == 2 ? 12 : 2);
    for (int i = 0; i < N; i++) {
#pragma omp target exit data map(release: rows[i][0:N])
        free(rows[i]);
    }
    return wrong;
}
