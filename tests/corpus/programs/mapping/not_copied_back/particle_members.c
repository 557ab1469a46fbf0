// members changed on the device, mapped to
#include <stdio.h>
typedef struct { float x, y, z, m; } particle;
#define NP 200
static particle p[NP];
int main(void)
{
    for (int i = 0; i < NP; i++) p[i] = (particle){ i, i, i, 1 };
    #pragma omp target teams distribute parallel for map(to: p) //@ bad // expect: mapping
    #pragma omp target teams distribute parallel for map(p) //@ good
    for (int i = 0; i < NP; i++) { // or-here
        p[i].x += 0.1f; // or-here
        p[i].y += 0.1f;
        p[i].z += 0.1f;
    }
    printf("%g\n", p[5].x);
    return 0;
}
