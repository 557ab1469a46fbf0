// memset, memcpy and sprintf in parallel, each thread or iteration into memory of its own, or all the same.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
#define K 16
struct worker { int id; char name[32]; int *buffer; };
static void clear_row(int *row, int n) { memset(row, 0, n * sizeof *row); }
int main(void)
{
    static int a[N][K], b[N][K], table[K], shared[K], flat[N * K], out[N * K], from[K];
    static char names[N][8];
    struct worker *workers = calloc(8, sizeof *workers);
    int *scratch = malloc(8 * K * sizeof *scratch), next = 0, sum = 0;
    for (int i = 0; i < 8; i++)
        workers[i].buffer = malloc(K * sizeof(int));
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int own[K];
        char text[16];
        memset(own, 0, sizeof own);
        memcpy(a[i], own, sizeof own);
        memcpy(&b[i][0], a[i], K * sizeof **a);
        clear_row(a[i], K);
        memset(flat + i * K, 0, K * sizeof *flat);
        sprintf(names[i], "n%d", i);
        snprintf(text, sizeof text, "%d", i);
        own[0] += text[0];
        #pragma omp critical
        {
            memcpy(table, own, sizeof own);
            sum += table[0] - table[0];
        }
    }
    #pragma omp parallel num_threads(8)
    {
        int me = omp_get_thread_num();
        int *mine = scratch + me * K;
        struct worker *w = &workers[me];
        memset(mine, 0, K * sizeof *mine);
        mine[0] = me;
        memcpy(w->buffer, mine, K * sizeof *mine);
        sprintf(w->name, "worker %d", me);
        memset(shared, 0, sizeof shared);
        #pragma omp barrier
        #pragma omp single
        memcpy(from, scratch, sizeof from);
        mine[1] = from[0] + shared[0];
        #pragma omp masked
        memset(table, 1, sizeof table);
        #pragma omp barrier
        mine[2] = table[0];
        int at;
        #pragma omp atomic capture
        at = next++;
        memcpy(&out[at * K], mine, K * sizeof *mine);
    }
    printf("%d %s\n", sum, names[3]);
    return sum;
}
