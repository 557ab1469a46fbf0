/* together: two kernels at once, from two threads of the host, on one chip.
 *
 * What to look at: each kernel has its own cores, and neither knows of the other. A kernel that asks for more cores than are free
 * gets those that are. The two wait for each other through `turn`, which only works where both run.
 *     ompls run --device epiphany examples/epiphany/together.c
 */
#include <omp.h>
#include <stdio.h>

#define ROUNDS 100

int main(void)
{
    int turn = 0, sums[2] = {0, 0}, right = 1;
    #pragma omp target data map(tofrom: turn)
    #pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int kernel = 0; kernel < 2; kernel++) {
        int sum = 0;
        #pragma omp target map(tofrom: sum) map(alloc: turn) firstprivate(kernel)
        for (int round = 0; round < ROUNDS; round++) {
            int now;
            do {
                #pragma omp atomic read seq_cst
                now = turn;
            } while (now % 2 != kernel);
            #pragma omp parallel for num_threads(4) reduction(+: sum)
            for (int i = 0; i < 16; i++)
                sum += i + now;
            #pragma omp atomic write seq_cst
            turn = now + 1;
        }
        sums[kernel] = sum;
    }
    for (int kernel = 0; kernel < 2; kernel++) {
        int sum = 0;
        for (int round = 0; round < ROUNDS; round++)
            sum += 120 + 16 * (2 * round + kernel);
        right = right && sum == sums[kernel];
    }
    printf("together: %d and %d after %d turns, %s\n", sums[0], sums[1], turn, right && turn == 2 * ROUNDS ? "correct" : "WRONG");
    return !right || turn != 2 * ROUNDS;
}
