/* Regions that run side by side on one device and write to different parts of a variable, which clauses name: none of them
   loses what another has written (OpenMP 5.2 section 1.4.1: memory locations are independent). */
#include <omp.h>

struct pair {
    int first, second;
};

int main(void) {
    struct pair pair = {0, 0};
    int array[128] = {0}, wrong = 0, met = 0, scalar = 0;
    #pragma omp target data map(tofrom: pair, array, met, scalar)
    {
        #pragma omp target nowait map(tofrom: pair, array, met, scalar)
        {
            int ready = 0;
            #pragma omp parallel num_threads(2) private(pair, array, scalar)
            pair.first = array[0] = scalar = omp_get_thread_num();
            for (long tries = 0; !ready && tries < 20000000; tries++) {
                #pragma omp atomic read seq_cst
                ready = met;
            }
            #pragma omp task shared(pair, array) depend(out: pair, array)
            {
                pair.first = 1;
                array[3] = 3;
            }
            #pragma omp taskwait
        }
        #pragma omp target nowait map(tofrom: pair, array, met, scalar)
        {
            pair.second = 2;
            array[4] = 4;
            scalar = 5;
            #pragma omp atomic write seq_cst
            met = 1;
        }
        #pragma omp taskwait
    }
    wrong += pair.first != 1 || pair.second != 2;
    wrong += array[3] != 3 || array[4] != 4;
    wrong += scalar != 5;
    return wrong;
}
