/* Allocators of a region's own: gcc 12 has no uses_allocators. */
#include <omp.h>
#include <stdint.h>

#include "../expect.h"

int main(void)
{
    const omp_alloctrait_t traits[1] = {{omp_atk_alignment, 256}};
    omp_allocator_handle_t own = omp_null_allocator, other = omp_null_allocator;
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
    expect(aligned, 1, "the alignment of an allocator's traits");
    expect(sum, 2 * 780, "memory of both allocators");

    int wrong = 0;
#pragma omp target parallel for map(tofrom : wrong) reduction(+ : wrong) num_threads(4) \
    uses_allocators(memspace(omp_default_mem_space), traits(traits) : own) uses_allocators(other)
    for (int i = 0; i < 8; i++) {
        char *x = omp_alloc(40, own), *y = omp_alloc(8, other);
        wrong += (uintptr_t)x % 256 != 0 || y == NULL;
        omp_free(x, own);
        omp_free(y, other);
    }
    expect(wrong, 0, "allocators of a loop");
#pragma omp target map(tofrom : wrong) nowait uses_allocators(own(traits))
    {
        char *x = omp_alloc(40, own);
        wrong = (uintptr_t)x % 256 != 0;
        omp_free(x, own);
    }
#pragma omp taskwait
    expect(wrong, 0, "an allocator of a deferred region");

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
