// Merge sort in tasks that takes an array for merging along, and sorts small parts without tasks.
#include <stdlib.h>
#include <string.h>
#define SIZE 1000

static int numbers[SIZE], buffer[SIZE];

static void merge(int *a, int size, int *tmp)
{
    int i = 0, j = size / 2, k = 0;
    while (i < size / 2 && j < size)
        tmp[k++] = a[i] < a[j] ? a[i++] : a[j++];
    while (i < size / 2)
        tmp[k++] = a[i++];
    while (j < size)
        tmp[k++] = a[j++];
    memcpy(a, tmp, size * sizeof(int));
}

static void serial(int *a, int *tmp, int size)
{
    if (size <= 1)
        return;
    serial(a, tmp, size / 2);
    serial(a + size / 2, tmp + size / 2, size - size / 2);
    merge(a, size, tmp);
}

static void sort(int *a, int *tmp, int size, int threads)
{
    if (size <= 1)
        return;
    if (threads == 1) {
        serial(a, tmp, size);
        return;
    }
#pragma omp task firstprivate(a, tmp, size)
    sort(a, tmp, size / 2, threads / 2);
#pragma omp task firstprivate(a, tmp, size)
    sort(a + size / 2, tmp + size / 2, size - size / 2, threads - threads / 2);
#pragma omp taskwait
    merge(a, size, tmp);
}

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        numbers[i] = SIZE - i;
#pragma omp parallel
#pragma omp single
    sort(numbers, buffer, SIZE, 4);
    return numbers[0] != 1 || numbers[SIZE - 1] != SIZE;
}
