/* One thread talks to the first device all the time, while another one uses each of the others once. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int going = 1, wrong = 0, devices = omp_get_num_devices();
    #pragma omp target device(0)
    { }
    #pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        for (int d = 1; d < devices; d++) {
            int host = -1;
            #pragma omp target device(d) map(from: host)
            host = omp_is_initial_device();
            fputs(host ? "host " : "there ", stdout);
        }
        #pragma omp atomic write
        going = 0;
    } else {
        for (int more = 1, x = 0; more; wrong += x % 7 != 0) {
            #pragma omp target device(0) map(tofrom: x)
            x += 7;
            #pragma omp atomic read
            more = going;
        }
    }
    printf("%d wrong\n", wrong);
    return 3;
}
