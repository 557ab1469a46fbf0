/* pi: the integral of 4 / (1 + x * x) by the trapezoid rule, by teams of 1 to 16 cores.
 *
 * What to look at: nothing travels but two numbers. Each thread adds its part up in a variable of its own, on its core; the
 * reduction joins them at the end. The kernel asks for `threads` cores and gets those that are free.
 *     ompls run --device epiphany examples/epiphany/pi.c
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>

#define INTERVALS 2000000

static float integrate(int threads, int *used)
{
    const float width = 1.0f / INTERVALS;
    float sum = 0;
    int team = 0;
    #pragma omp target map(tofrom: sum, team)
    #pragma omp parallel num_threads(threads) reduction(+: sum)
    {
        const int me = omp_get_thread_num(), all = omp_get_num_threads();
        /* Blocks: a float has 24 bits, so 2,000,000 small numbers are not added to one large one. */
        for (int block = me * 1000; block < INTERVALS; block += all * 1000) {
            float part = 0;
            for (int i = block; i < block + 1000; i++) {
                const float x = ((float)i + 0.5f) * width, half = 0.5f * width, left = x - half, right = x + half;
                part += 2.0f / (1.0f + left * left) + 2.0f / (1.0f + right * right);
            }
            sum += part * width;
        }
        if (me == 0)
            team = all;
    }
    *used = team;
    return sum;
}

int main(void)
{
    int right = 1, used = 0;
    float value = 0;
    for (int threads = 1; threads <= 16; threads *= 2) {
        value = integrate(threads, &used);
        right = right && used >= 1 && used <= threads && fabsf(value - 3.14159265f) < 1e-5f;
    }
    printf("pi: %d intervals, %.4f, %s\n", INTERVALS, value, right ? "correct" : "WRONG");
    return !right;
}
