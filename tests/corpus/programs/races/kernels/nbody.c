#include <math.h>
#include <stdio.h>
#define N 512
typedef struct { double x, y, z, m; } body;
static body p[N];
static double fx[N], fy[N];
void forces(void)
{
    #pragma omp parallel for schedule(guided) //@ good bad // or-here
    for (int i = 0; i < N; i++) {
        double sx = 0, sy = 0; //@ good
        for (int j = 0; j < N; j++) { //@ good
        for (int j = i + 1; j < N; j++) { //@ bad
            if (i == j) //@ good
                continue; //@ good
            double dx = p[j].x - p[i].x, dy = p[j].y - p[i].y;
            double r2 = dx * dx + dy * dy + 1e-9, s = p[i].m * p[j].m / (r2 * sqrt(r2));
            sx += s * dx; //@ good
            sy += s * dy; //@ good
            fx[i] += s * dx; //@ bad // or-here
            fx[j] -= s * dx; //@ bad // expect: race [bad]
            #pragma omp atomic //@ bad
            fy[i] += s * dy; //@ bad
            #pragma omp atomic //@ bad
            fy[j] -= s * dy; //@ bad
        }
        fx[i] = sx; //@ good
        fy[i] = sy; //@ good
    }
}
int main(void)
{
    for (int i = 0; i < N; i++)
        p[i] = (body){i, i * 0.5, 0, 1};
    forces();
    printf("%g %g\n", fx[0], fy[0]);
    return 0;
}
