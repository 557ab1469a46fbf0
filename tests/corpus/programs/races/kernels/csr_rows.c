#include <stdio.h>
#include <stdlib.h>
void build(int n, const int *len, int *ptr, int *col)
{
    int at = 0;
    ptr[0] = 0; //@ good
    for (int i = 0; i < n; i++) //@ good
        ptr[i + 1] = ptr[i] + len[i]; //@ good
    #pragma omp parallel for // or-here
    for (int i = 0; i < n; i++) {
        ptr[i + 1] = ptr[i] + len[i]; //@ bad // expect: race
        for (int k = ptr[i]; k < ptr[i + 1]; k++) //@ good bad // or-here
            col[k] = i; //@ good bad // or-here
        for (int k = 0; k < len[i]; k++) //@ bad2
            col[at++] = i; //@ bad2 // expect: race
    }
}
int main(void)
{
    int n = 50, *len = malloc(n * sizeof(int)), *ptr = calloc(n + 1, sizeof(int)), *col = calloc(500, sizeof(int));
    for (int i = 0; i < n; i++)
        len[i] = i % 5;
    build(n, len, ptr, col);
    printf("%d\n", col[3]);
    free(len), free(ptr), free(col);
    return 0;
}
