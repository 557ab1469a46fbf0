#include <stdio.h>
#include <stdlib.h>
int bfs(const int *row, const int *col, int *level, int n, int m, int source)
{
    int *front = malloc(n * sizeof *front), *next = malloc(n * sizeof *next);
    int nf = 1, depth = 0;
    for (int i = 0; i < n; i++)
        level[i] = -1;
    level[source] = 0;
    front[0] = source;
    #pragma omp target data map(to: row[0:n + 1], col[0:m]) map(tofrom: level[0:n], front[0:n]) map(alloc: next[0:n])
    while (nf > 0) {
        int nn = 0;
        depth++;
        #pragma omp target teams distribute parallel for map(tofrom: nn) // or-here
        for (int k = 0; k < nf; k++) {
            int u = front[k];
            for (int e = row[u]; e < row[u + 1]; e++) {
                int v = col[e], old;
                #pragma omp atomic compare capture
                { old = level[v]; if (level[v] == -1) { level[v] = depth; } }
                if (old == -1) {
                    int at;
                    #pragma omp atomic capture //@ good
                    at = nn++; //@ good
                    at = nn++; //@ bad // expect: race [bad]
                    next[at] = v;
                }
            }
        }
        #pragma omp target teams distribute parallel for
        for (int k = 0; k < nn; k++)
            front[k] = next[k];
        nf = nn;
    }
    free(front), free(next);
    return depth;
}
int main(void)
{
    int row[] = {0, 2, 4, 5, 6}, col[] = {1, 2, 0, 3, 3, 1}, level[4];
    printf("%d\n", bfs(row, col, level, 4, 6, 0));
    return 0;
}
