/* Unified shared memory: host addresses in kernels, nothing is mapped; bytes of one page written on both sides. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "../expect.h"

#pragma omp requires unified_shared_memory

struct node {
    struct node *next;
    int value;
};
static int counter = 5;
static const char *const words[] = {"one", "three", "eleven"};
#pragma omp declare target
int on_both = 7;
#pragma omp end declare target

int main(void)
{
    struct node *list = NULL;
    for (int i = 0; i < 5000; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        n->value = i;
        list = n;
    }
    long sum = 0, lengths = 0;
#pragma omp target map(tofrom : sum, lengths)
    {
        for (struct node *n = list; n != NULL; n = n->next) {
            sum += n->value;
            n->value = -n->value;
        }
        for (int i = 0; i < 3; i++)
            for (const char *c = words[i]; *c != 0; c++)
                lengths++;
    }
    expect(sum, 5000L * 4999 / 2, "sum of a list");
    expect(lengths, 14, "strings");
    for (struct node *n = list; n != NULL; n = n->next)
        sum += n->value;
    expect(sum, 0, "values that the kernel wrote");

    int n = 100000, *big = malloc(n * sizeof *big), *indirect[2] = {big, big + n / 2};
    memset(big, 0, n * sizeof *big);
    for (int round = 0; round < 3; round++) {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++)
            indirect[i >= n / 2][i % (n / 2)] += i;
        for (int i = 0; i < n; i += 10)
            big[i] += 1;
    }
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += big[i] != 3 * i + (i % 10 == 0 ? 3 : 0);
    expect(wrong, 0, "kernels and host in turn");

#pragma omp target
    {
        counter++;
        on_both += counter;
    }
    expect(counter, 5, "a scalar is firstprivate still");
    expect(on_both, 13, "a global is the host's own");
#pragma omp target map(counter)
    counter++;
    expect(counter, 6, "a mapped scalar");

    int *device = omp_target_alloc(4 * sizeof *device, omp_get_default_device());
    for (int i = 0; i < 4; i++)
        device[i] = i;
#pragma omp target is_device_ptr(device)
    for (int i = 0; i < 4; i++)
        device[i] *= 3;
    expect(device[3], 9, "omp_target_alloc");
#pragma omp target data map(big[0:n]) use_device_ptr(big)
    expect(big[1], 3, "use_device_ptr is the host's address");
#pragma omp target update from(big[0:n])
    expect(omp_target_is_accessible(big, n * sizeof *big, omp_get_default_device()), 1, "accessible");
    omp_target_free(device, omp_get_default_device());
    return failures != 0;
}
