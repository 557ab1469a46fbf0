// A sum over neighbours; the sections are for other lengths than the loop has.
#include <stdlib.h>
#include <stdio.h>
static void blur(const float *in, float *out, int n)
{
#pragma omp target teams distribute parallel for map(to: in[0:n+2]) map(from: out[0:n]) //@ good
#pragma omp target teams distribute parallel for map(to: in[0:(n+2)/2]) map(from: out[0:n]) //@ bad // or-here [bad]
#pragma omp target teams distribute parallel for map(to: in[1:n]) map(from: out[0:n]) //@ bad2 // or-here [bad2]
#pragma omp target teams distribute parallel for map(to: in[0:n+2]) map(from: out[1:n]) //@ bad3 // or-here [bad3]
    for (int i = 0; i < n; i++) // or-here
        out[i] = in[i] + in[i + 1] + in[i + 2]; // expect: mapping
}
int main(void)
{
    int n = 60, bad = 0;
    float *in = malloc((n + 2) * sizeof *in), *out = malloc(n * sizeof *out);
    for (int i = 0; i < n + 2; i++) in[i] = i;
    blur(in, out, n); // or-here
    for (int i = 0; i < n; i++) bad |= out[i] != 3 * i + 3;
    free(in);
    free(out);
    return bad;
}
