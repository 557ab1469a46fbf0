// Buffers of an array of structures that know their lengths.
#include <stdio.h>
#include <stdlib.h>
struct lane { int n; int *q; };
int main(void)
{
    struct lane l[3];
    for (int k = 0; k < 3; k++) { l[k].n = 10; l[k].q = malloc(10 * sizeof(int)); for (int i = 0; i < 10; i++) l[k].q[i] = k; }
    for (int k = 0; k < 3; k++) {
        int *q = l[k].q, n = l[k].n;
        #pragma omp target enter data map(to: q[0:n])
    }
    for (int k = 0; k < 3; k++) {
        int *q = l[k].q, n = l[k].n;
        #pragma omp target
        for (int i = 0; i < n; i++) q[i] += i;
    }
    for (int k = 0; k < 3; k++) {
        int *q = l[k].q, n = l[k].n;
        #pragma omp target exit data map(release: q[0:n]) //@ bad // expect: mapping
        #pragma omp target exit data map(from: q[0:n]) //@ good
        (void)n; (void)q;
    }
    int wrong = 0;
    for (int k = 0; k < 3; k++) { wrong |= l[k].q[9] != k + 9; free(l[k].q); } // or-here [bad]
    printf("%s\n", wrong ? "wrong" : "right");
    return wrong;
}
