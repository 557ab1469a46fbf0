// Layers of a network in an array of structures.
#include <stdio.h>
#include <stdlib.h>
struct layer { int in, out; float *w, *bias; };
struct net { int nlayers; struct layer *layers; };
int main(void)
{
    struct net net = {2, malloc(2 * sizeof(struct layer))};
    int sizes[] = {8, 6, 4};
    for (int l = 0; l < net.nlayers; l++) {
        struct layer *L = &net.layers[l];
        L->in = sizes[l]; L->out = sizes[l + 1];
        L->w = malloc(L->in * L->out * sizeof(float));
        L->bias = calloc(L->out, sizeof(float));
        for (int i = 0; i < L->in * L->out; i++) L->w[i] = 0.1f;
    }
    float x[8], y[8];
    for (int i = 0; i < 8; i++) x[i] = 1;
    for (int l = 0; l < net.nlayers; l++) {
        struct layer *L = &net.layers[l];
        float *w = L->w, *bias = L->bias;
        int in = L->in, out = L->out;
#pragma omp target teams distribute parallel for map(to: w[0:in * out], bias[0:out], x) map(from: y) //@ good
#pragma omp target teams distribute parallel for map(to: w[0:in * out], bias[0:out], x, y) //@ bad // expect: mapping [bad]
#pragma omp target teams distribute parallel for map(to: w[0:out], bias[0:out], x) map(from: y) //@ bad2 // expect: mapping [bad2]
#pragma omp target teams distribute parallel for map(to: w[0:in * out], bias[0:out]) map(from: x, y) //@ bad3 // expect: mapping [bad3]
        for (int o = 0; o < out; o++) {
            float s = bias[o];
            for (int i = 0; i < in; i++) s += w[o * in + i] * x[i]; // expect: mapping [bad2 bad3]
            y[o] = s > 0 ? s : 0;
        }
        for (int o = 0; o < out; o++) x[o] = y[o]; // expect: mapping [bad]
    }
    printf("%g\n", x[0]);
    for (int l = 0; l < net.nlayers; l++) { free(net.layers[l].w); free(net.layers[l].bias); }
    free(net.layers);
    return 0;
}
