// Small problems stay on the host: the same condition decides at each directive.
#include <stdlib.h>

static int run(int n, int use)
{
    float *a = malloc(n * sizeof *a), *b = calloc(n, sizeof *b);
    for (int i = 0; i < n; i++)
        a[i] = (float)i;
#pragma omp target enter data map(to: a[0:n], b[0:n]) if(use)
    if (n > 4)
        a[2] = 7; // or-here [bad3]
    if (use) { //@ good bad2 good2 bad
#pragma omp target update to(a[0:n]) //@ good good2 bad2 bad
    } //@ good bad2 good2 bad
#pragma omp target teams distribute parallel for if(target: use) // or-here [bad3]
    for (int i = 0; i < n; i++)
        b[i] = 2 * a[i]; // expect: mapping [bad3]
    if (!use) { //@ good2
        for (int i = 0; i < n; i++) //@ good2
            b[i] += 0; //@ good2
    } //@ good2
#pragma omp target exit data map(from: b[0:n]) map(release: a[0:n]) if(use) //@ good good2 bad3
#pragma omp target exit data map(release: a[0:n], b[0:n]) if(use) //@ bad // or-here [bad]
    if (use) { //@ bad2
#pragma omp target exit data map(release: a[0:n]) //@ bad2
    } //@ bad2
    int wrong = b[2] != 14 || b[3] != 6; // expect: mapping [bad bad2]
    free(a);
    free(b); // or-here [bad2]
    return wrong;
}

int main(int argc, char **argv)
{
    (void)argv;
    return run(100, argc < 100) || run(10, argc > 100);
}
