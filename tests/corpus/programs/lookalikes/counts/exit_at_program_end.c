// The exit stands in a function for atexit.
#include <stdio.h>
#include <stdlib.h>

static float *pool;
enum { POOL = 256 };

static void shutdown_pool(void)
{
#pragma omp target exit data map(delete: pool[0:POOL])
    free(pool);
}

static void start_pool(void)
{
    pool = calloc(POOL, sizeof(float));
#pragma omp target enter data map(to: pool[0:POOL])
    atexit(shutdown_pool);
}

int main(void)
{
    float first = 0.0f;
    start_pool();
#pragma omp target map(from: first)
    {
        pool[0] = 1.0f;
        first = pool[0];
    }
    return first != 1.0f;
}
