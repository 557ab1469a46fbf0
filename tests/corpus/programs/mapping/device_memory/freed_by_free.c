// Device memory given to free().
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

struct work { double *scratch; int dev; };

static void open_work(struct work *w, int n)
{
    w->dev = omp_get_default_device();
    w->scratch = omp_target_alloc(n * sizeof(double), w->dev); // or-here
}

static void close_work(struct work *w)
{
    free(w->scratch); //@ bad // expect: mapping
    omp_target_free(w->scratch, w->dev); //@ good
    w->scratch = NULL;
}

int main(void)
{
    struct work w;
    double out = 0.0;
    open_work(&w, 100);
    double *s = w.scratch;
#pragma omp target is_device_ptr(s) map(from: out) device(w.dev)
    {
        s[99] = 2.5;
        out = s[99];
    }
    close_work(&w);
    return out != 2.5;
}
