// A look-up table is allocated on the device and filled by a kernel, or the fill was forgotten.
#include <stdio.h>
#include <stdlib.h>

#define ENTRIES 64

int main(void)
{
    int table[ENTRIES], keys[1000], hits[ENTRIES], wrong = 0;
    for (int i = 0; i < ENTRIES; i++) {
        table[i] = i * 3;
        hits[i] = 0;
    }
    for (int i = 0; i < 1000; i++)
        keys[i] = i % ENTRIES;
#pragma omp target data map(alloc: table) map(to: keys) map(tofrom: hits) // or-here
    {
#pragma omp target //@ good
        for (int i = 0; i < ENTRIES; i++) //@ good
            table[i] = i * 3; //@ good
#pragma omp target update to(table) //@ good2
#pragma omp target // expect: mapping
        for (int i = 0; i < 1000; i++)
            hits[keys[i]] += table[keys[i]] == 3 * keys[i]; // or-here
    }
    for (int i = 0; i < ENTRIES; i++)
        wrong += hits[i] != (1000 - i + ENTRIES - 1) / ENTRIES;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
