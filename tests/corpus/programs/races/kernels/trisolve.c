#include <stdio.h>
#define N 64
double L[N][N], b[N], x[N];
void forward(void)
{
    #pragma omp parallel //@ good
    for (int j = 0; j < N; j++) { //@ good
        #pragma omp single //@ good
        x[j] = b[j] / L[j][j]; //@ good
        #pragma omp for //@ good
        for (int i = j + 1; i < N; i++) //@ good
            b[i] -= L[i][j] * x[j]; //@ good
    } //@ good
    #pragma omp parallel //@ bad2
    for (int j = 0; j < N; j++) { //@ bad2
        #pragma omp single nowait //@ bad2
        x[j] = b[j] / L[j][j]; //@ bad2 // expect: race [bad2]
        #pragma omp for //@ bad2
        for (int i = j + 1; i < N; i++) //@ bad2
            b[i] -= L[i][j] * x[j]; //@ bad2 // or-here
    } //@ bad2
    #pragma omp parallel for //@ bad // or-here
    for (int i = 0; i < N; i++) { //@ bad
        double s = b[i]; //@ bad
        for (int j = 0; j < i; j++) //@ bad
            s -= L[i][j] * x[j]; //@ bad // or-here
        x[i] = s / L[i][i]; //@ bad // expect: race [bad]
    } //@ bad
}
int main(void)
{
    for (int i = 0; i < N; i++) {
        b[i] = i;
        for (int j = 0; j <= i; j++)
            L[i][j] = i == j ? 2 : 0.01;
    }
    forward();
    printf("%g\n", x[N - 1]);
    return 0;
}
