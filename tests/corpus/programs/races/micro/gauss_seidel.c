#include <stdio.h>
#define N 100
int main(void)
{
    static double u[N][N];
    for (int it = 0; it < 10; it++) {
        for (int colour = 0; colour < 2; colour++) //@ good
        #pragma omp target teams distribute parallel for collapse(2) map(tofrom: u) //@ bad // or-here
        #pragma omp target teams distribute parallel for map(tofrom: u) //@ good
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++) //@ bad
            for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2) //@ good
                u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]); // expect: race
    }
    printf("%g\n", u[3][4]);
    return 0;
}
