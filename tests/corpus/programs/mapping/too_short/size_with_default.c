#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = 1000;
    if (argc == 2) n = atoi(argv[1]);
    float *u = malloc((n + 2) * sizeof(float)), *w = malloc((n + 2) * sizeof(float));
    for (int i = 0; i < n + 2; i++) u[i] = w[i] = i;
    #pragma omp target teams distribute parallel for map(to: u[0:n]) map(from: w[1:n]) //@ bad // expect: mapping
    #pragma omp target teams distribute parallel for map(to: u[0:n+2]) map(from: w[1:n]) //@ good
    for (int i = 1; i <= n; i++) w[i] = u[i - 1] + u[i + 1]; // or-here
    printf("%g\n", w[n]);
    free(u); free(w);
    return 0;
}
