/* saxpy: y = a * x + y many times, by a kernel that stays on its cores, and by one that is offloaded each time.
 *
 * What to look at: the kernel that stays is launched once, with `nowait`. It has its team for as long as it lives; the host feeds it by
 * `target update`, and wakes it by an update of `round`. It says that it is done by `served`. Waiting is looking at a word of memory,
 * on both sides, since a core has no operating system that could wake it. Counted are launches, not microseconds: cores of an emulated board
 * share those of this machine, where waiting by looking costs more than it does on a chip, and more than a launch.
 *     ompls run --device epiphany examples/epiphany/saxpy.c
 */
#include <stdio.h>

#define N 256
#define ROUNDS 200
#define CORES 4

static float x[N], y[N], resident[N];
static int round_number, served; /* written by the host, and by the kernel */

static void feed(int round)
{
    for (int i = 0; i < N; i++)
        x[i] = (float)((i + round) % 17 - 8);
}

/* They say how many kernels they have launched. */
static int stay(void)
{
    const int launches = 1;
    #pragma omp target enter data map(to: x, y, round_number, served)
    #pragma omp target map(x, y, round_number, served) nowait
    {
        int now;
        #pragma omp parallel num_threads(CORES)
        for (int round = 1;; round++) {
            #pragma omp masked
            for (;;) {
                #pragma omp atomic read acquire
                now = round_number;
                if (now < 0 || now >= round)
                    break;
                #pragma omp taskyield
            }
            #pragma omp barrier
            if (now < 0)
                break;
            #pragma omp for
            for (int i = 0; i < N; i++)
                y[i] += 0.5f * x[i];
            #pragma omp masked
            {
                #pragma omp atomic write release
                served = round;
            }
        }
    }
    for (int round = 1, seen; round <= ROUNDS; round++) {
        feed(round);
        // ompls: ignore[async-unordered]: `served` and `round_number` order it, which say that the kernel does not read now
        #pragma omp target update to(x)
        round_number = round;
        #pragma omp target update to(round_number)
        do {
            #pragma omp target update from(served)
            seen = served;
        } while (seen < round);
    }
    round_number = -1;
    #pragma omp target update to(round_number)
    #pragma omp taskwait
    #pragma omp target exit data map(from: y) map(release: x, round_number, served)
    return launches;
}

static int offload(void)
{
    int launches = 0;
    #pragma omp target data map(to: x) map(tofrom: y)
    for (int round = 1; round <= ROUNDS; round++) {
        feed(round);
        #pragma omp target update to(x)
        #pragma omp target parallel for num_threads(CORES)
        for (int i = 0; i < N; i++)
            y[i] += 0.5f * x[i];
        launches++;
    }
    return launches;
}

int main(void)
{
    int wrong = 0;
    const int kept = stay();
    for (int i = 0; i < N; i++)
        resident[i] = y[i], y[i] = 0;
    const int sent = offload();
    for (int i = 0; i < N; i++) {
        float sum = 0;
        for (int round = 1; round <= ROUNDS; round++)
            sum += 0.5f * (float)((i + round) % 17 - 8);
        wrong += sum != y[i] || sum != resident[i];
    }
    printf("saxpy: %d rounds of %d, %d launch where the kernel stays, %d where it is offloaded, %s\n", ROUNDS, N, kept, sent,
           wrong == 0 ? "correct" : "WRONG");
    return wrong != 0;
}
