// Two dense layers with weights that stay on the device.
#include <math.h>
#include <stdlib.h>

struct layer {
    int in, out;
    float *w;
    float *bias;
    float *act;
};

static struct layer *layer_new(int in, int out)
{
    struct layer *l = malloc(sizeof *l);
    l->in = in;
    l->out = out;
    l->w = malloc(sizeof(float) * in * out);
    l->bias = malloc(sizeof(float) * out);
    l->act = calloc(out, sizeof(float));
    for (int i = 0; i < in * out; i++)
        l->w[i] = (float)(i % 7) * 0.01f;
    for (int i = 0; i < out; i++)
        l->bias[i] = 0.1f * i;
#pragma omp target enter data map(to: l[0:1]) //@ good bad2 bad3
#pragma omp target enter data map(to: l->w[0:in*out], l->bias[0:out]) map(alloc: l->act[0:out]) //@ good bad2 bad3
#pragma omp target enter data map(to: l[0:1]) //@ bad // or-here [bad]
    return l;
}

static void layer_free(struct layer *l)
{
#pragma omp target exit data map(delete: l->w[0:l->in*l->out], l->bias[0:l->out], l->act[0:l->out]) //@ good bad2 bad3
#pragma omp target exit data map(delete: l[0:1]) //@ good bad2 bad
    free(l->w);
    free(l->bias);
    free(l->act);
    free(l); // expect: mapping [bad3]
}

static void forward(struct layer *l, const float *x)
{
    int in = l->in, out = l->out;
#pragma omp target teams distribute parallel for map(to: x[0:in]) // or-here [bad]
    for (int o = 0; o < out; o++) {
        float s = l->bias[o]; // expect: mapping [bad]
        for (int i = 0; i < in; i++)
            s += l->w[o * in + i] * x[i]; // or-here [bad]
        l->act[o] = s > 0 ? s : 0; // or-here [bad]
    }
}

int main(void)
{
    struct layer *l = layer_new(16, 8);
    float x[16];
    for (int i = 0; i < 16; i++)
        x[i] = (float)i;
    forward(l, x);
#pragma omp target update from(l->act[0:8]) //@ good bad bad3 // or-here [bad]
    float sum = 0;
    for (int o = 0; o < 8; o++)
        sum += l->act[o]; // expect: mapping [bad2]
    float want = 0;
    for (int o = 0; o < 8; o++) {
        float s = l->bias[o];
        for (int i = 0; i < 16; i++)
            s += l->w[o * 16 + i] * x[i];
        want += s;
    }
    layer_free(l);
    return fabsf(sum - want) > 1e-3f;
}
