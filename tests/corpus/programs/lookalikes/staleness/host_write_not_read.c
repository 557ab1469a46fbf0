// The host writes its copy, but the device does not look at it again.
#include <stdio.h>
#define N 25

int main(void)
{
    float in[N], out[N];
    for (int i = 0; i < N; i++)
        in[i] = (float)i;
#pragma omp target data map(to: in) map(from: out)
    {
#pragma omp target
        for (int i = 0; i < N; i++)
            out[i] = in[i];
        for (int i = 0; i < N; i++)
            in[i] = 0.0f;
    }
    return out[24] != 24.0f || in[24] != 0.0f;
}
