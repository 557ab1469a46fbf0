#include <stdio.h>
static int stage1[64], stage2[64], cfg;
static void fill(int *p) { for (int i = 0; i < 64; i++) p[i] = i + cfg; } // or-here
static void copy(int *d, const int *s) { for (int i = 0; i < 64; i++) d[i] = s[i]; } // or-here
int main(void)
{
    int other[64] = {0};
    #pragma omp parallel
    {
        #pragma omp single //@ good bad
        #pragma omp master //@ bad2 // or-here
        cfg = 3; // expect: race [bad2]
        #pragma omp sections
        {
            #pragma omp section
            fill(stage1); // or-here
            #pragma omp section
            fill(other); //@ good bad2 // or-here
            copy(stage2, stage1); //@ bad // expect: race [bad]
        }
        #pragma omp single
        copy(stage2, stage1);
    }
    printf("%d\n", stage2[5] + other[2]);
    return 0;
}
