// A pipeline of deferred target tasks over blocks.
#include <stdlib.h>
#define BLOCK 128
#define BLOCKS 6

int main(void)
{
    float *v = malloc(sizeof(float) * BLOCK * BLOCKS);
    for (int i = 0; i < BLOCK * BLOCKS; i++)
        v[i] = (float)i;
    for (int b = 0; b < BLOCKS; b++) {
        float *p = v + b * BLOCK;
#pragma omp target enter data map(to: p[0:BLOCK]) depend(out: p[0]) nowait //@ good bad
#pragma omp target enter data map(alloc: p[0:BLOCK]) depend(out: p[0]) nowait //@ bad2 // or-here [bad2]
#pragma omp target teams distribute parallel for depend(inout: p[0]) nowait // expect: mapping [bad2]
        for (int i = 0; i < BLOCK; i++)
            p[i] = p[i] * 2 + 1; // or-here [bad2]
#pragma omp target exit data map(from: p[0:BLOCK]) depend(inout: p[0]) nowait //@ good bad2
#pragma omp target exit data map(release: p[0:BLOCK]) depend(inout: p[0]) nowait //@ bad // or-here [bad]
    }
#pragma omp taskwait
    int bad = 0;
    for (int i = 0; i < BLOCK * BLOCKS; i++)
        bad |= v[i] != 2.0f * i + 1; // expect: mapping [bad]
    free(v);
    return bad;
}
