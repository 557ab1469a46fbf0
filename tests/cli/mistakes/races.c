/* Each region has one race, which a fix ends: a test looks at all of them with `ompls run --check`, before and after. */
#include <stdio.h>

enum { N = 64 };

int main(void)
{
    int b[N], h[8] = {0}, sums[4] = {0}, cell[1] = {0}, total = 0, seen = 0, most = 0, sum = 0;
    double v[N], last = 0;
    for (int i = 0; i < N; i++) b[i] = (i * i) % 8;
    #pragma omp target teams distribute parallel for map(to: b) map(tofrom: h)
    for (int i = 0; i < N; i++) h[b[i]]++;
    #pragma omp target teams distribute parallel for map(tofrom: sum)
    for (int i = 0; i < N; i++)
        sum += i;
    #pragma omp target teams distribute parallel for map(tofrom: sums) map(to: b)
    for (int i = 0; i < N; i++) { if (b[i] > 1) sums[2] += b[i]; }
    #pragma omp target teams distribute parallel for map(tofrom: most) map(to: b)
    for (int i = 0; i < N; i++)
        if (b[i] > most) most = b[i];
    #pragma omp target teams distribute parallel for map(tofrom: cell)
    for (int i = 0; i < N; i++) {
        #pragma omp atomic
        cell[0] += 1;
        if (i == 0)
            cell[0] = 5;
    }
    #pragma omp target parallel for map(tofrom: total)
    for (int i = 0; i < N; i++) {
        total += i;
        #pragma omp critical
        total -= 1;
    }
    #pragma omp target parallel for map(from: v) map(to: b) shared(last)
    for (int i = 0; i < N; i++) {
        last = b[i];
        v[i] = last * last;
    }
    #pragma omp target parallel map(tofrom: seen) map(tofrom: sums)
    {
        #pragma omp for nowait
        for (int i = 0; i < N; i++)
            if (i < 4) sums[i] = i;
        #pragma omp for
        for (int i = 0; i < 4; i++)
            if (sums[3 - i] > 0) {
                #pragma omp atomic
                seen++;
            }
    }
    printf("%d %d %d %d %g %d\n", h[1], sum, sums[2], most, v[3], seen);
    return 0;
}
