// A variable of the team: the reduction is over its threads, and each team has its own.
#include <stdio.h>
#define R 10
#define C 50

int main(void)
{
    double m[R][C], norm[R];
    int wrong = 0;
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++)
            m[i][j] = i;
#pragma omp target teams distribute map(tofrom: m) map(from: norm)
    for (int i = 0; i < R; i++) {
        double s = 0.0;
        int count = 0;
#pragma omp parallel for reduction(+: s)
        for (int j = 0; j < C; j++) {
            s += m[i][j];
#pragma omp atomic
            count++;
        }
        s /= count;
#pragma omp parallel for
        for (int j = 0; j < C; j++)
            m[i][j] -= s;
        norm[i] = s;
    }
    for (int i = 0; i < R; i++)
        wrong |= norm[i] != i || m[i][C - 1] != 0.0;
    return wrong;
}
