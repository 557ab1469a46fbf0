// An error path that forgets the device memory.
#include <stdio.h>
#include <stdlib.h>

static int process(const double *in, int n, double *mean)
{
    double s = 0.0;
    double *tmp = malloc(n * sizeof(double));
    if (!tmp)
        return -1;
#pragma omp target enter data map(alloc: tmp[0:n]) // expect: mapping
#pragma omp target teams distribute parallel for map(to: in[0:n]) reduction(+: s)
    for (int i = 0; i < n; i++) {
        tmp[i] = in[i] * in[i];
        s += tmp[i];
    }
    if (s < 0.0) {
#pragma omp target exit data map(delete: tmp[0:n]) //@ good
        free(tmp); // or-here
        return -2; // or-here
    }
#pragma omp target exit data map(delete: tmp[0:n])
    free(tmp);
    *mean = s / n;
    return 0;
}

int main(void)
{
    double in[10], m = 0.0;
    for (int i = 0; i < 10; i++)
        in[i] = 2.0;
    int err = process(in, 10, &m);
    printf("%d %g\n", err, m);
    return m != 4.0;
}
