#include <stdio.h>
int main(void)
{
    int flag = 0, value = 0;
    #pragma omp parallel sections num_threads(2) // or-here
    {
        #pragma omp section
        {
            value = 42; // or-here
            #pragma omp atomic write release //@ good
            flag = 1; // or-here
        }
        #pragma omp section
        {
            int f = 0;
            while (!f) {
                #pragma omp atomic read acquire //@ good
                f = flag; // expect: race
            }
            printf("%d\n", value);
        }
    }
    return 0;
}
