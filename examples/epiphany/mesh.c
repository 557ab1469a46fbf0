/* mesh: c = a * b in blocks that lie on the cores; each core reads the blocks of its row and of its column from its neighbours.
 *
 * What to look at: `mine` is on the stack of a thread, so it lies in the memory of its core. A core's addresses are valid on all
 * of them, so a pointer in a shared array is all that the others need to read a block over the mesh. The arrays themselves
 * are read once, from the external memory.
 *     ompls run --device epiphany examples/epiphany/mesh.c
 */
#include <omp.h>
#include <stdio.h>

#define SIDE 4          /* blocks in a row: one a core */
#define EDGE 16         /* of a block */
#define N (SIDE * EDGE)

struct blocks {
    float a[EDGE][EDGE], b[EDGE][EDGE], c[EDGE][EDGE];
};

static float a[N][N], b[N][N], c[N][N];

int main(void)
{
    int cores = 0, wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = (float)((i * 7 + j) % 5 - 2), b[i][j] = (float)((i + 3 * j) % 7 - 3);

    #pragma omp target map(to: a, b) map(from: c) map(tofrom: cores)
    {
        struct blocks *all[SIDE * SIDE];
        #pragma omp parallel num_threads(SIDE * SIDE)
        {
            const int me = omp_get_thread_num(), row = me / SIDE, column = me % SIDE;
            struct blocks mine;
            for (int i = 0; i < EDGE; i++)
                for (int j = 0; j < EDGE; j++) {
                    mine.a[i][j] = a[row * EDGE + i][column * EDGE + j];
                    mine.b[i][j] = b[row * EDGE + i][column * EDGE + j];
                    mine.c[i][j] = 0;
                }
            all[me] = &mine;
            #pragma omp barrier
            if (omp_get_num_threads() == SIDE * SIDE) /* it gets the cores that are free */
                for (int k = 0; k < SIDE; k++) {
                    const struct blocks *beside = all[row * SIDE + k], *above = all[k * SIDE + column];
                    for (int i = 0; i < EDGE; i++)
                        for (int j = 0; j < EDGE; j++)
                            for (int l = 0; l < EDGE; l++)
                                mine.c[i][j] += beside->a[i][l] * above->b[l][j];
                }
            for (int i = 0; i < EDGE; i++)
                for (int j = 0; j < EDGE; j++)
                    c[row * EDGE + i][column * EDGE + j] = mine.c[i][j];
            #pragma omp barrier
            if (me == 0)
                cores = omp_get_num_threads();
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            wrong += sum != c[i][j];
        }
    if (cores != SIDE * SIDE)
        printf("mesh: only %d cores were free\n", cores);
    printf("mesh: %d x %d, c[3][5] = %g, %s\n", N, N, c[3][5], wrong == 0 ? "correct" : "WRONG");
    return wrong != 0;
}
