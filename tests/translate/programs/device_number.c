/* A region knows the number of the device that runs it, as the host counts devices; the host's own is the last. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int wrong = 0, host = omp_get_num_devices();
    for (int device = 0; device <= host; device++) {
        int number = -1, initial = -1;
        #pragma omp target device(device) map(from: number, initial)
        {
            number = omp_get_device_num();
            initial = omp_is_initial_device();
        }
        if (number != device || initial != (device == host))
            wrong++;
    }
    if (wrong)
        printf("%d wrong\n", wrong);
    return wrong != 0;
}
