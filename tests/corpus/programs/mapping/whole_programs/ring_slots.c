// A ring of slots; the host fills one slot at a time and sends just that.
#include <stdlib.h>
#define SLOTS 4
#define LEN 32

int main(void)
{
    int *ring = calloc(SLOTS * LEN, sizeof *ring), total = 0;
#pragma omp target enter data map(to: ring[0:SLOTS*LEN])
    for (int t = 0; t < 10; t++) {
        int slot = t % SLOTS, sum = 0;
        for (int i = 0; i < LEN; i++)
            ring[slot * LEN + i] = t;
#pragma omp target update to(ring[slot*LEN:LEN]) //@ good bad2 bad4
#pragma omp target update to(ring[0:LEN]) //@ bad // or-here [bad]
#pragma omp target update to(ring[slot*LEN:LEN*SLOTS]) //@ bad3 // expect: mapping [bad3]
#pragma omp target teams distribute parallel for reduction(+: sum) map(tofrom: sum) firstprivate(slot) // or-here [bad]
        for (int i = 0; i < LEN; i++)
            sum += ring[slot * LEN + i]; // expect: mapping [bad]
        total += sum;
    }
#pragma omp target exit data map(delete: ring[0:SLOTS*LEN]) //@ good bad bad3 bad4
    free(ring); // expect: mapping [bad2]
#pragma omp target update to(ring[0:LEN]) //@ bad4 // expect: mapping [bad4]
    return total != LEN * 45;
}
