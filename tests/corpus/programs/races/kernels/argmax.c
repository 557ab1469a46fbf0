#include <stdio.h>
#define N 5000
static float v[N];
int main(void)
{
    float best = -1;
    int where = -1;
    for (int i = 0; i < N; i++)
        v[i] = (float)((i * 7919) % 5003);
    #pragma omp parallel //@ good bad2
    { //@ good bad2
        float lb = -1; //@ good bad2
        int li = -1; //@ good bad2
        #pragma omp for nowait //@ good bad2
        for (int i = 0; i < N; i++) //@ good bad2
            if (v[i] > lb) { //@ good bad2
                lb = v[i]; //@ good bad2
                li = i; //@ good bad2
            } //@ good bad2
        #pragma omp critical //@ good
        if (lb > best) { //@ good bad2 // or-here
            best = lb; //@ good bad2 // expect: race [bad2]
            where = li; //@ good bad2 // or-here
        } //@ good bad2
    } //@ good bad2
    #pragma omp parallel for reduction(max: best) //@ bad // or-here
    for (int i = 0; i < N; i++) //@ bad
        if (v[i] > best) { //@ bad
            best = v[i]; //@ bad
            where = i; //@ bad // expect: race [bad]
        } //@ bad
    printf("%g %d\n", best, where);
    return 0;
}
