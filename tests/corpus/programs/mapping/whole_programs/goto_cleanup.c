// Resources released at a label.
#include <stdlib.h>

static int job(int n, int fail)
{
    int rc = -1;
    int *a = malloc(n * sizeof *a), *b = NULL;
    for (int i = 0; i < n; i++)
        a[i] = i;
#pragma omp target enter data map(to: a[0:n])
    if (fail)
        goto out_a; //@ good bad2
        goto out; //@ bad // or-here [bad]
    b = calloc(n, sizeof *b);
#pragma omp target enter data map(alloc: b[0:n])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        b[i] = a[i] * a[i];
#pragma omp target exit data map(from: b[0:n]) //@ good bad
#pragma omp target exit data map(delete: b[0:n]) //@ bad2 // or-here [bad2]
    rc = b[n - 1] == (n - 1) * (n - 1) ? 0 : 1; // expect: mapping [bad2]
out_a:; //@ good bad2
#pragma omp target exit data map(delete: a[0:n])
out:; //@ bad
    free(a); // expect: mapping [bad]
    free(b);
    return rc;
}

int main(void)
{
    return job(30, 1) != -1 || job(30, 0) != 0;
}
