// Every element of an array of structs has a buffer of its own.
#include <stdio.h>
#include <stdlib.h>
#define BUFFERS 3

struct buffer { int len; int *data; };

int main(void)
{
    struct buffer b[BUFFERS];
    int sum = 0;
    for (int k = 0; k < BUFFERS; k++) {
        b[k].len = k + 1;
        b[k].data = malloc((k + 1) * sizeof(int));
        for (int i = 0; i <= k; i++)
            b[k].data[i] = 10;
    }
#pragma omp target enter data map(to: b) // or-here
    for (int k = 0; k < BUFFERS; k++) { //@ good
#pragma omp target enter data map(to: b[k].data[0:b[k].len]) //@ good
    } //@ good
#pragma omp target map(tofrom: sum) // expect: mapping
    for (int k = 0; k < BUFFERS; k++)
        for (int i = 0; i < b[k].len; i++)
            sum += b[k].data[i]; // or-here
    for (int k = 0; k < BUFFERS; k++) {
#pragma omp target exit data map(release: b[k].data[0:b[k].len]) //@ good
        free(b[k].data);
    }
#pragma omp target exit data map(release: b)
    return sum != 60;
}
