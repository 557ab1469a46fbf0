// A flag says on which side the newest values are; it goes with the host's changes through the loop.
#define N 100

int main(int argc, char **argv)
{
    (void)argv;
    double a[N];
    int on_device = 0, dirty = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target data map(alloc: a)
    {
        for (int it = 0; it < 10; it++) {
            if (!on_device) {
#pragma omp target update to(a)
                on_device = 1;
            }
#pragma omp target teams distribute parallel for
            for (int i = 0; i < N; i++)
                a[i] += 1;
            dirty = 1;
            if (it % 4 == argc) {
                if (dirty) {
#pragma omp target update from(a)
                    dirty = 0;
                }
                for (int i = 0; i < N; i++)
                    a[i] *= 0.5;
                on_device = 0;
            }
        }
        if (dirty) {
#pragma omp target update from(a)
        }
    }
    return a[0] <= 0.0;
}
