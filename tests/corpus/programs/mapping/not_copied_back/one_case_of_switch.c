#include <stdio.h>
#include <stdlib.h>
enum op { OP_SCALE, OP_SHIFT, OP_CLEAR };
static void apply(enum op o, int *v, int n)
{
    switch (o) {
    case OP_SCALE:
        #pragma omp target teams distribute parallel for map(tofrom: v[0:n])
        for (int i = 0; i < n; i++) v[i] *= 2;
        break;
    case OP_SHIFT:
        #pragma omp target teams distribute parallel for map(to: v[0:n]) //@ bad // expect: mapping
        #pragma omp target teams distribute parallel for map(tofrom: v[0:n]) //@ good
        for (int i = 0; i < n; i++) v[i] += 1; // or-here
        break;
    default:
        for (int i = 0; i < n; i++) v[i] = 0;
    }
}
int main(int argc, char **argv)
{
    (void)argv;
    int v[40];
    for (int i = 0; i < 40; i++) v[i] = i;
    apply(argc > 1 ? OP_SCALE : OP_SHIFT, v, 40);
    printf("%d\n", v[3]); // or-here
    return 0;
}
