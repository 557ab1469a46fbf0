/* farm: uneven tasks for whichever device is free.
 *
 * What to look at: the tasks are known when the program starts, how long they take is not. A host thread for each device
 * takes the next task when its device is done. The table is sent to each device once, not with every task.
 *     ompls run --device mpinode:4 examples/cluster/farm.c
 */
#include <omp.h>
#include <stdio.h>

#define TASKS 60
#define TABLE 5000

#pragma omp declare target
/* How many numbers below the limit are no multiple of one in the table. */
static int sieve(const int *table, int limit)
{
    int left = 0;
    for (int n = 2; n < limit; n++) {
        int k = 0;
        while (k < TABLE && table[k] * table[k] <= n && n % table[k] != 0)
            k++;
        left += k == TABLE || table[k] * table[k] > n;
    }
    return left;
}
#pragma omp end declare target

int main(void)
{
    static int table[TABLE], found[TASKS];
    int devices = omp_get_num_devices(), workers = devices > 0 ? devices : 1, wrong = 0;
    long sum = 0;
    for (int i = 0; i < TABLE; i++)
        table[i] = i + 2;
    for (int device = 0; device < workers; device++) {
        #pragma omp target enter data map(to: table) device(device)
    }
    #pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (int task = 0; task < TASKS; task++) {
        int limit = 10 + 37 * task * task % 2000, primes = 0;
        #pragma omp target map(from: primes) device(omp_get_thread_num())
        primes = sieve(table, limit);
        found[task] = primes;
    }
    for (int device = 0; device < workers; device++) {
        #pragma omp target exit data map(release: table) device(device)
    }
    for (int task = 0; task < TASKS; task++) {
        sum += found[task];
        wrong += found[task] != sieve(table, 10 + 37 * task * task % 2000);
    }
    printf("farm: %d tasks, %ld primes, %s\n", TASKS, sum, wrong ? "wrong" : "correct");
    return wrong != 0;
}
