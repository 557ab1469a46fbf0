/* Copies from one device to the next, each as large as the argument says, many times; nothing of it passes through here. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 40
#define COLUMNS 50

static void must(int failed)
{
    if (failed == 0) return;
    puts("a copy failed");
    exit(1);
}

static int cells(int count)
{
    int wide[ROWS][COLUMNS], narrow[ROWS][9], devices = omp_get_num_devices(), host = omp_get_initial_device(), sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) wide[i][j] = i * COLUMNS + j;
    int (*there)[COLUMNS] = omp_target_alloc(sizeof wide, 0), (*next)[9] = omp_target_alloc(sizeof narrow, devices - 1);
    must(omp_target_memcpy(there, wide, sizeof wide, 0, 0, 0, host));
    size_t volume[] = {30, 7}, to[] = {2, 1}, from[] = {5, 40}, in_to[] = {ROWS, 9}, in_from[] = {ROWS, COLUMNS};
    for (int i = 0; i < count; i++)
        must(omp_target_memcpy_rect(next, there, sizeof(int), 2, volume, to, from, in_to, in_from, devices - 1, 0));
    must(omp_target_memcpy(narrow, next, sizeof narrow, 0, 0, host, devices - 1));
    for (int i = 0; i < 30; i++)
        for (int j = 0; j < 7; j++) sum += narrow[2 + i][1 + j] == wide[5 + i][40 + j];
    omp_target_free(there, 0);
    omp_target_free(next, devices - 1);
    return sum;
}

/* All pairs at once, in both directions, between kernels. */
static int crossing(int count)
{
    enum { EACH = 50000 };
    int devices = omp_get_num_devices(), host = omp_get_initial_device(), right = 0, failed = 0;
    #pragma omp parallel for num_threads(4) reduction(+: right) reduction(|: failed)
    for (int t = 0; t < 4; t++) {
        int a = t % devices, b = (t + 1 + t / devices) % devices, *data = malloc(EACH * sizeof *data);
        if (t % 2) a = b, b = t % devices;
        int *one = omp_target_alloc(EACH * sizeof *data, a), *other = omp_target_alloc(EACH * sizeof *data, b);
        for (int i = 0; i < count; i++) {
            #pragma omp target device(a) is_device_ptr(one)
            for (int k = 0; k < EACH; k++) one[k] = k + i + t;
            failed |= omp_target_memcpy(other, one, EACH * sizeof *data, 0, 0, b, a);
            failed |= omp_target_memcpy(one, other, 4, 0, 0, a, b);
        }
        failed |= omp_target_memcpy(data, other, EACH * sizeof *data, 0, 0, host, b);
        for (int k = 0; k < EACH; k++) right += data[k] == k + count - 1 + t;
        omp_target_free(one, a);
        omp_target_free(other, b);
        free(data);
    }
    must(failed); /* no thread ends the program while others copy */
    return right;
}

int main(int argc, char **argv)
{
    size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    int rounds = argc > 2 ? atoi(argv[2]) : 3, devices = omp_get_num_devices(), host = omp_get_initial_device();
    unsigned char *data = malloc(size), *there[64];
    for (size_t i = 0; i < size; i++) data[i] = (unsigned char)(i * 7 + i / 251);
    for (int d = 0; d < devices; d++)
        if ((there[d] = omp_target_alloc(size, d)) == NULL) return puts("a device is not there"), 1;
    must(omp_target_memcpy(there[0], data, size, 0, 0, 0, host));
    for (int step = 0; step < rounds * devices; step++) {
        int d = step % devices, next = (d + 1) % devices;
        unsigned char *mine = there[d];
        #pragma omp target device(d) is_device_ptr(mine)
        mine[0]++;
        must(omp_target_memcpy(there[next], there[d], size, 0, 0, next, d));
    }
    unsigned char *back = malloc(size);
    must(omp_target_memcpy(back, there[0], size, 0, 0, host, 0));
    data[0] = (unsigned char)(data[0] + rounds * devices);
    for (size_t i = 0; i < size; i++)
        if (back[i] != data[i]) return printf("byte %zu is %d, not %d\n", i, back[i], data[i]), 1;
    printf("%d cells\n", cells(rounds));
    printf("%d crossed\n", crossing(2 * rounds));
    for (int d = 0; d < devices; d++) omp_target_free(there[d], d);
    free(data);
    free(back);
    return 7;
}
