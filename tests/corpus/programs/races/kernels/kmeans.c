#include <float.h>
#include <stdio.h>
#define N 1000
#define K 5
static float px[N], cx[K], sumx[K];
static int label[N], size[K], moved;
int main(void)
{
    for (int i = 0; i < N; i++)
        px[i] = (i * 37) % 101;
    for (int k = 0; k < K; k++)
        cx[k] = 20 * k;
    for (int it = 0; it < 10; it++) {
        moved = 0;
        for (int k = 0; k < K; k++)
            sumx[k] = size[k] = 0;
        #pragma omp target teams distribute parallel for map(to: px, cx) map(tofrom: label, sumx, size, moved) reduction(+: moved) //@ good bad // or-here
        #pragma omp target teams distribute parallel for map(to: px, cx) map(tofrom: label, sumx, size, moved) //@ bad2 // or-here
        for (int i = 0; i < N; i++) {
            int best = 0;
            float bd = FLT_MAX;
            for (int k = 0; k < K; k++) {
                float d = (px[i] - cx[k]) * (px[i] - cx[k]);
                if (d < bd)
                    bd = d, best = k;
            }
            if (label[i] != best)
                moved++; // expect: race [bad2]
            label[i] = best;
            #pragma omp atomic
            size[best] += 1;
            #pragma omp atomic //@ good bad2
            sumx[best] += px[i]; // expect: race [bad]
        }
        for (int k = 0; k < K; k++)
            if (size[k])
                cx[k] = sumx[k] / size[k];
        if (!moved)
            break;
    }
    printf("%g\n", cx[1]);
    return 0;
}
