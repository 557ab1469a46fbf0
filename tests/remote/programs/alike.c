/* Large list items lie in the memory of a device as they do in the host's, where copies are faster for it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGE = 1 << 18 };

static char bytes[LARGE + 64];
#pragma omp declare target
struct part { char head[24], data[LARGE]; };
#pragma omp end declare target

int main(void)
{
    int unlike = 0, wrong = 0;
    struct part *part = malloc(sizeof *part);
    for (int i = 0; i < LARGE + 64; i++) bytes[i] = (char)(i % 51);
    for (int behind = 0; behind < 64; behind += 9) {
        uintptr_t there = 0;
        #pragma omp target enter data map(to: bytes[behind:LARGE])
        #pragma omp target map(from: there)
        {
            there = (uintptr_t)&bytes[behind];
            bytes[behind] = 77;
        }
        #pragma omp target exit data map(from: bytes[behind:LARGE])
        unlike += (there - (uintptr_t)&bytes[behind]) % 64 != 0;
        for (int i = 0; i < LARGE; i++) wrong += bytes[behind + i] != (i == 0 ? 77 : (behind + i) % 51);
        bytes[behind] = (char)(behind % 51);
    }
    uintptr_t there = 0;
    #pragma omp target enter data map(alloc: part->data)
    #pragma omp target map(from: there)
    {
        there = (uintptr_t)part->data;
        part->data[1] = 5;
    }
    #pragma omp target exit data map(from: part->data)
    unlike += (there - (uintptr_t)part->data) % 64 != 0;
    wrong += part->data[1] != 5;
    free(part);
    printf("%d lie otherwise, %d wrong\n", unlike, wrong);
    return 0;
}
