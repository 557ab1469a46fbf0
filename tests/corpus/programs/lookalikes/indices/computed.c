// Indices that are computed and still different for all, or whose updates are protected or alike.
#include <omp.h>
#include <stdio.h>
#define N 512
static int slot_of(int i) { return (i * 5) % N; }
static int my_part(int i) { return (omp_get_thread_num() + i * 0) % 64; }
static int next_ticket;
static int ticket(int i)
{
    int mine;
    #pragma omp atomic capture
    mine = next_ticket++;
    return mine + i * 0;
}
int main(void)
{
    static int key[N], taken[N], part[64], out[N], seen[16], x[2 * N];
    static float pos[N];
    for (int i = 0; i < N; i++)
        key[i] = N - 1 - i, pos[i] = i + 0.5f;
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        taken[slot_of(i)]++;
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        part[my_part(key[i])]++;
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        out[ticket(key[i])] = i;
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        seen[(key[i] * 3) % 16 & 15] = 1;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int bin = (int)pos[i] % 16;
        #pragma omp atomic
        seen[bin]++;
    }
    #pragma omp parallel for
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < N; j++)
            if (key[j] % 8 == i) {
                int at = key[j] % 8;
                x[at] += j;
            }
    #pragma omp parallel for reduction(+: seen)
    for (int i = 0; i < N; i++)
        seen[(unsigned)(pos[i] * 3) % 16u]++;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int at = key[i] * 2 + (pos[i] > 100);
        x[at] = i;
    }
    printf("%d %d %d\n", taken[3], out[4] >= 0, x[3] >= 0);
    return 0;
}
