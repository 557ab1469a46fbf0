// Layers stay on the device; helper functions bring them there and back.
#include <stdio.h>
#include <stdlib.h>
typedef struct { int n; float *w; float *g; } layer_t;
static void layers_init(layer_t *l, int count)
{
    for (int k = 0; k < count; k++) {
        l[k].n = 16;
        l[k].w = malloc(16 * sizeof(float));
        l[k].g = malloc(16 * sizeof(float));
        for (int i = 0; i < 16; i++) { l[k].w[i] = 1; l[k].g[i] = 0.5f; }
    }
}
static void layers_to_device(layer_t *l, int count)
{
#pragma omp target enter data map(to: l[0:count])
    for (int k = 0; k < count; k++) {
#pragma omp target enter data map(to: l[k].w[0:16])
#pragma omp target enter data map(to: l[k].g[0:16]) //@ good bad3
#pragma omp target enter data map(alloc: l[k].g[0:16]) //@ bad2 // expect: mapping [bad2]
    }
}
static void layers_from_device(layer_t *l, int count)
{
    for (int k = 0; k < count; k++) {
#pragma omp target exit data map(from: l[k].w[0:16]) //@ good bad bad2
#pragma omp target exit data map(release: l[k].w[0:16]) //@ bad3 // expect: mapping [bad3]
#pragma omp target exit data map(release: l[k].g[0:16]) //@ good bad2 bad3
    }
#pragma omp target exit data map(release: l[0:count])
}
int main(void)
{
    int count = 5;
    layer_t *net = malloc(count * sizeof *net);
    layers_init(net, count);
    layers_to_device(net, count);
#pragma omp target teams distribute parallel for // expect: mapping [bad bad2]
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 16; i++) net[k].w[i] -= 0.1f * net[k].g[i]; // expect: mapping [bad bad2]
    layers_from_device(net, count);
    float s = 0;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 16; i++) s += net[k].w[i]; // expect: mapping [bad3]
    printf("%g\n", s);
    return 0;
}
