// Rows are updated one by one.
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int n = 10, m = 20;
    int **t = malloc(n * sizeof(int *));
    for (int i = 0; i < n; i++) t[i] = calloc(m, sizeof(int));
#pragma omp target enter data map(to: t[0:n])
    for (int i = 0; i < n; i++) {
#pragma omp target enter data map(to: t[i][0:m])
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) t[i][j] = i * j;
    for (int i = 0; i < n; i++) {
#pragma omp target update to(t[i][0:m]) //@ good bad3 bad4 bad5
#pragma omp target update from(t[i][0:m]) //@ bad2 // expect: mapping [bad2]
    }
#pragma omp target teams distribute parallel for collapse(2) // expect: mapping [bad bad2]
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) t[i][j] += 1; // expect: mapping [bad bad2]
    for (int i = 0; i < n; i++) {
#pragma omp target update from(t[i][0:m]) //@ good bad bad2 bad5
#pragma omp target update from(t[i][0:m / 2]) //@ bad4 // expect: mapping [bad4]
    }
    long s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) s += t[i][j]; // expect: mapping [bad3 bad4]
    printf("%ld\n", s);
    for (int i = 0; i < n; i++) {
#pragma omp target exit data map(delete: t[i][0:m]) //@ good bad bad2 bad3 bad4
        free(t[i]); // expect: mapping [bad5]
    }
#pragma omp target exit data map(delete: t[0:n])
    free(t);
    return 0;
}
