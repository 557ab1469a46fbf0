#include <stdio.h>
#define N 200
static int d[N + 1][N + 1];
static char s[N + 1], t[N + 1];
static int min3(int a, int b, int c) { int m = a < b ? a : b; return m < c ? m : c; }
int main(void)
{
    for (int i = 0; i <= N; i++)
        d[i][0] = d[0][i] = i, s[i] = 'a' + i % 5, t[i] = 'a' + i % 3;
    for (int w = 2; w <= 2 * N; w++) { //@ good bad2
        int lo = w > N ? w - N : 1, hi = w <= N ? w - 1 : N; //@ good bad2
        int i, j; //@ bad2
        #pragma omp parallel for //@ good bad2 // or-here
        for (int i = lo; i <= hi; i++) { //@ good
        for (i = lo; i <= hi; i++) { //@ bad2
            int j = w - i; //@ good
            j = w - i; //@ bad2 // expect: race
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (s[i] != t[j])); //@ good bad2 // or-here
        } //@ good bad2
    } //@ good bad2
    #pragma omp parallel for collapse(2) //@ bad // or-here
    for (int i = 1; i <= N; i++) //@ bad
        for (int j = 1; j <= N; j++) //@ bad
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (s[i] != t[j])); //@ bad // expect: race
    printf("%d\n", d[N][N]);
    return 0;
}
