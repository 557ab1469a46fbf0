/* master_worker: a target region that is mostly sequential, with parallel loops inside.
 *
 * What to look at: a plain `target` region begins with one thread, the initial thread of the device. It meets a
 * stand-alone `parallel for`, works on it together with the others, and goes on alone. A GPU cannot start threads
 * in the middle of a kernel, so all of them are there from the beginning: one *master* runs the sequential code while
 * the *workers* wait at a barrier for work. `scale`, `partial` and `total` are variables of the sequential part that the
 * parallel loops share; on a GPU they have to be moved from the master's stack to memory that all threads see.
 */
#include <stdio.h>

#define N 1024
#define ROUNDS 3

int main(void)
{
    long values[N], sums[ROUNDS];
    for (int i = 0; i < N; i++)
        values[i] = i + 1;

    #pragma omp target map(tofrom: values) map(from: sums)
    {
        long scale = 1;
        for (int round = 0; round < ROUNDS; round++) {
            long partial[4] = {0, 0, 0, 0};
            long total = 0;

            scale = 2 * scale + round; /* sequential: one thread only */

            #pragma omp parallel for num_threads(40)
            for (int i = 0; i < N; i++)
                values[i] = values[i] % 1000 + scale;

            #pragma omp parallel for reduction(+: total)
            for (int i = 0; i < N; i++) {
                total += values[i];
                #pragma omp atomic
                partial[i % 4] += values[i];
            }

            /* Sequential again. The four partial sums are a second way to the same total. */
            sums[round] = total == partial[0] + partial[1] + partial[2] + partial[3] ? total : -1;
        }
    }

    int wrong = 0;
    long scale = 1, check[N];
    for (int i = 0; i < N; i++)
        check[i] = i + 1;
    for (int round = 0; round < ROUNDS; round++) {
        long total = 0;
        scale = 2 * scale + round;
        for (int i = 0; i < N; i++) {
            check[i] = check[i] % 1000 + scale;
            total += check[i];
        }
        if (sums[round] != total)
            wrong++;
    }
    for (int i = 0; i < N; i++)
        if (values[i] != check[i])
            wrong++;
    printf("master_worker: sums %ld %ld %ld, %s\n", sums[0], sums[1], sums[2], wrong ? "WRONG" : "correct");
    return wrong != 0;
}
