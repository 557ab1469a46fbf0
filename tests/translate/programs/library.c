/* The C library and the API of OpenMP in a region: memory, strings, allocators, locks, what the teams look like. */
#include <assert.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

#pragma omp declare target
static int count_words(const char *text)
{
    char copy[64], *at = copy;
    strncpy(copy, text, sizeof copy - 1);
    copy[63] = 0;
    int words = 0;
    while ((at = strchr(at, ' ')) != NULL) {
        words++;
        at++;
    }
    return words + 1;
}
#pragma omp end declare target

static void strings(void)
{
    long out[12] = {0};
    const char text[] = "one two three two";
#pragma omp target map(tofrom : out) map(to : text)
    {
        char buffer[40];
        out[0] = count_words(text);
        out[1] = strlen(text);
        out[2] = strstr(text, "two") - text;
        out[3] = strrchr(text, 't') - text;
        strcpy(buffer, "abc");
        strcat(buffer, "def");
        out[4] = strcmp(buffer, "abcdef");
        out[5] = strcmp("b", "a") > 0 && strncmp("abx", "aby", 2) == 0 && memcmp("a", "b", 1) < 0;
        memmove(buffer + 1, buffer, 6);
        out[6] = buffer[1] == 'a' && buffer[6] == 'f';
        memmove(buffer, buffer + 1, 6);
        out[7] = buffer[0] == 'a' && (char *)memchr(buffer, 'd', 6) - buffer == 3;
        int *zeros = calloc(5, sizeof *zeros), *used = malloc(sizeof *used);
        assert(zeros != NULL && used != NULL);
        *used = 3;
        out[8] = zeros[0] + zeros[4] + *used;
        free(zeros);
        free(used);
        out[9] = abs(-4) + labs(-5l) + llabs(-6ll);
        if (out[9] < 0)
            abort();
        if (out[9] < -1)
            exit(3);
    }
    const long want[10] = {4, 17, 4, 14, 0, 1, 1, 1, 3, 15};
    for (int i = 0; i < 10; i++)
        expect(out[i], want[i], "strings and memory");
}

static void allocators(void)
{
    long sum = 0, aligned = 0;
#pragma omp target map(tofrom : sum, aligned)
    {
        int *x = (int *)omp_alloc(100 * sizeof(int), omp_default_mem_alloc);
        double *y = omp_aligned_alloc(128, 256, omp_high_bw_mem_alloc);
        long *z = omp_calloc(4, sizeof(long), omp_default_mem_alloc);
        char *c = omp_aligned_calloc(64, 3, 64, omp_default_mem_alloc);
        aligned = (uintptr_t)y % 128 == 0 && (uintptr_t)c % 64 == 0 && c[191] == 0;
#pragma omp parallel for
        for (int i = 0; i < 100; i++)
            x[i] = i;
        for (int i = 0; i < 100; i++)
            sum += x[i];
        x = omp_realloc(x, 200 * sizeof(int), omp_default_mem_alloc, omp_default_mem_alloc);
        sum += x[99] + z[0] + z[3];
        omp_free(x, omp_default_mem_alloc);
        omp_free(y, omp_high_bw_mem_alloc);
        omp_free(z, omp_default_mem_alloc);
        omp_free(c, omp_null_allocator);
    }
    expect(sum, 4950 + 99, "omp_alloc and omp_realloc");
    expect(aligned, 1, "alignment");
}

struct account {
    omp_lock_t lock;
    int balance;
};

static void locks(void)
{
    struct account accounts[3] = {0};
    int nested = 0, tested = 0, depth = 0;
#pragma omp target map(tofrom : accounts, nested, tested, depth)
    {
        omp_nest_lock_t whole;
        omp_init_nest_lock(&whole);
        for (int k = 0; k < 3; k++)
            omp_init_lock(&accounts[k].lock);
#pragma omp parallel for num_threads(96)
        for (int i = 0; i < 300; i++) {
            struct account *mine = &accounts[i % 3];
            omp_set_lock(&mine->lock);
            int before = mine->balance;
            for (int k = 0; k < 2; k++) {
                if (k == 1)
                    break;
                mine->balance = before + 1;
            }
            omp_unset_lock(&mine->lock);
        }
#pragma omp parallel num_threads(1)
        {
            omp_set_nest_lock(&whole);
            depth = omp_test_nest_lock(&whole);
            nested++;
            omp_unset_nest_lock(&whole);
            omp_unset_nest_lock(&whole);
        }
        omp_lock_t once;
        omp_init_lock(&once);
        tested = omp_test_lock(&once);
        tested += 2 * omp_test_lock(&once);
        omp_unset_lock(&once);
        omp_destroy_lock(&once);
        omp_destroy_nest_lock(&whole);
    }
    for (int k = 0; k < 3; k++)
        expect(accounts[k].balance, 100, "a lock");
    expect(tested, 1, "omp_test_lock");
    expect(nested, 1, "a nestable lock");
    expect(depth, 2, "omp_test_nest_lock");
}

int main(void)
{
    strings();
    allocators();
    locks();
    int max_teams = -1, threads = 0, asked = 0, bind = 1;
#pragma omp target map(from : max_teams, asked, bind) map(tofrom : threads)
    {
        max_teams = omp_get_max_teams();
        omp_set_num_threads(5);
        asked = omp_get_max_threads();
        bind = omp_get_proc_bind() == omp_proc_bind_false || omp_get_num_places() >= 0;
#pragma omp parallel reduction(+ : threads)
        threads += 1;
    }
    expect(max_teams >= 0, 1, "omp_get_max_teams");
    expect(asked, 5, "omp_get_max_threads");
    expect(threads, 5, "omp_set_num_threads");
    expect(bind, 1, "places");
    return failures != 0;
}
