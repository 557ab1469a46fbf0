// Small inputs stay on the host; the region does not say so.
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    int *v = malloc(n * sizeof(int)), *w = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) { v[i] = i; w[i] = 0; }
    #pragma omp target data map(to: v[0:n]) map(from: w[0:n]) if(n > 500)
    {
        #pragma omp target teams distribute parallel for //@ bad
        #pragma omp target teams distribute parallel for if(target: n > 500) //@ good
        for (int i = 0; i < n; i++) w[i] = v[i] + 1; // expect: mapping [bad]
    }
    int wrong = w[n - 1] != n;
    printf("%s\n", wrong ? "wrong" : "right");
    free(v); free(w);
    return wrong;
}
