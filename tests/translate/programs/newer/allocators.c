/* Allocators of a region's own: gcc 12 has no uses_allocators. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

static int failures;
static void expect(long got, long want, const char *what)
{
    if (got != want) {
        printf("%s: %ld, not %ld\n", what, got, want);
        failures++;
    }
}

int main(void)
{
    const omp_alloctrait_t traits[1] = {{omp_atk_alignment, 256}};
    omp_allocator_handle_t own = omp_init_allocator(omp_default_mem_space, 1, traits);
    int aligned = 0, sum = 0;
#pragma omp target map(tofrom : aligned, sum) uses_allocators(own(traits), omp_default_mem_alloc)
    {
        int *x = omp_alloc(40 * sizeof *x, own), *y = omp_alloc(4, omp_default_mem_alloc);
        aligned = (uintptr_t)x % 256 == 0;
        *y = 2;
#pragma omp parallel for
        for (int i = 0; i < 40; i++)
            x[i] = i;
        for (int i = 0; i < 40; i++)
            sum += x[i] * *y;
        omp_free(x, own);
        omp_free(y, omp_default_mem_alloc);
    }
    omp_destroy_allocator(own);
    expect(aligned, 1, "the alignment of an allocator's traits");
    expect(sum, 2 * 780, "memory of both allocators");

    int inside = 0;
#pragma omp target map(tofrom : inside)
    {
        omp_alloctrait_t wanted[1] = {{omp_atk_alignment, 128}};
        omp_allocator_handle_t made = omp_init_allocator(omp_default_mem_space, 1, wanted);
        char *p = omp_alloc(10, made);
        inside = (uintptr_t)p % 128 == 0;
        omp_free(p, made);
        omp_destroy_allocator(made);
    }
    expect(inside, 1, "omp_init_allocator in a region");
    return failures != 0;
}
