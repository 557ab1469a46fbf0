// The host looks at the residual in every tenth step only, after an update.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 50, t = 0;
    double *r = malloc(n * sizeof(double)), worst = 1.0;
    for (int i = 0; i < n; i++)
        r[i] = 1.0;
#pragma omp target enter data map(to: r[0:n])
    while (t < 100 && worst > 1e-6) {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            r[i] *= 0.5;
        if (++t % 10 == 0) {
#pragma omp target update from(r[0:n])
            worst = 0.0;
            for (int i = 0; i < n; i++)
                if (r[i] > worst)
                    worst = r[i];
        }
    }
#pragma omp target exit data map(release: r[0:n])
    free(r);
    return t != 20;
}
