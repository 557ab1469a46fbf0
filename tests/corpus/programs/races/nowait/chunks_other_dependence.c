// Chunks in a pipeline: the kernel of one depends on its output only.
#include <stdio.h>
#include <stdlib.h>
#define CH 4
#define M 256
int main(void)
{
    float *in = malloc(CH * M * sizeof(float)), *out = malloc(CH * M * sizeof(float));
    for (int i = 0; i < CH * M; i++) { in[i] = i; out[i] = 0; }
    for (int c = 0; c < CH; c++) {
        #pragma omp target enter data map(to: in[c*M:M]) map(alloc: out[c*M:M]) nowait depend(out: in[c*M])
        #pragma omp target teams distribute parallel for map(to: in[c*M:M]) map(from: out[c*M:M]) nowait depend(inout: out[c*M]) //@ bad // or-here
        #pragma omp target teams distribute parallel for map(to: in[c*M:M]) map(from: out[c*M:M]) nowait depend(in: in[c*M]) depend(out: out[c*M]) //@ good
        for (int i = c * M; i < (c + 1) * M; i++)
            out[i] = in[i] + 1; // expect: race [bad]
        #pragma omp target exit data map(release: in[c*M:M]) map(from: out[c*M:M]) nowait depend(inout: in[c*M], out[c*M])
    }
    #pragma omp taskwait
    int wrong = out[CH * M - 1] != CH * M;
    printf("%s\n", wrong ? "wrong" : "right");
    free(in); free(out);
    return wrong;
}
