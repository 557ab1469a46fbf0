/* gcc's atomic functions: the __atomic_ and the older __sync_ family. */
#include "expect.h"

enum { N = 1000 };

int main(void)
{
    int sum = 0, sum2 = 0, bits = 0, taken = 0, largest = 0, lock = 0, held = 0, both = 7, loaded = 0, first = 1;
    long wide = 0;
    unsigned char small[4] = {0};
    unsigned long long mask = ~0ull;
    volatile unsigned counter = 0;
    static int slots[N];
#pragma omp target teams distribute parallel for map(tofrom : sum, sum2, bits, taken, largest, wide, small, mask, slots, \
                                                     counter, both, loaded, first)
    for (int i = 0; i < N; i++) {
        __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
        __sync_fetch_and_sub(&sum2, i);
        __sync_fetch_and_or(&bits, 1 << i % 31);
        __atomic_and_fetch(&mask, ~(1ull << i % 60), __ATOMIC_SEQ_CST);
        __sync_add_and_fetch(&wide, 1000000000L);
        __atomic_add_fetch(small + i % 4, 1, __ATOMIC_ACQ_REL);
        unsigned at = __sync_fetch_and_add(&counter, 1);
        __atomic_store_n(&slots[at], i + 1, __ATOMIC_RELEASE);
        int seen = __atomic_load_n(&largest, __ATOMIC_RELAXED);
        while (seen < i && !__atomic_compare_exchange_n(&largest, &seen, i, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            ;
        if (__sync_bool_compare_and_swap(&taken, 0, i + 1)) __sync_fetch_and_xor(&both, 5);
        if (__sync_val_compare_and_swap(&first, 1, 2) == 1) __atomic_fetch_add(&loaded, 1, __ATOMIC_CONSUME);
        __sync_synchronize();
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    }
    expect(sum, N * (N - 1) / 2, "__atomic_fetch_add");
    expect(sum2, -N * (N - 1) / 2, "__sync_fetch_and_sub");
    expect(bits, 0x7fffffff, "__sync_fetch_and_or");
    expect(mask, 0xf000000000000000ull, "__atomic_and_fetch");
    expect(wide, N * 1000000000L, "__sync_add_and_fetch");
    expect(small[0] + small[1] + small[2] + small[3], N, "bytes");
    expect(largest, N - 1, "__atomic_compare_exchange_n");
    expect(both, 2, "__sync_bool_compare_and_swap");
    expect(loaded, 1, "__sync_val_compare_and_swap");
    long all = 0;
    for (int i = 0; i < N; i++)
        all += slots[i];
    expect(all, N * (N + 1) / 2, "slots, each taken once");
#pragma omp target map(tofrom : lock, held)
    {
        held += __sync_lock_test_and_set(&lock, 1);
        held += 10 * __atomic_exchange_n(&lock, 3, __ATOMIC_SEQ_CST);
    }
    expect(held * 10 + lock, 103, "exchanges");
    return failures != 0;
}
