// Lattice gas: cells and flags; flags change on the host every few steps.
#include <stdlib.h>
#include <string.h>

struct lattice {
    int n;
    unsigned char *cell, *flag;
};

static void upload_flags(struct lattice *l)
{
    unsigned char *flag = l->flag;
#pragma omp target update to(flag[0:l->n])
}

static void stepper(struct lattice *l)
{
    unsigned char *cell = l->cell, *flag = l->flag;
    int n = l->n;
#pragma omp target teams distribute parallel for map(tofrom: cell[0:n]) map(to: flag[0:n]) // expect: mapping [bad]
    for (int i = 0; i < n; i++)
        if (flag[i]) // or-here [bad]
            cell[i]++;
}

int main(void)
{
    struct lattice l = {90, calloc(90, 1), calloc(90, 1)};
    unsigned char *cell = l.cell, *flag = l.flag;
#pragma omp target enter data map(to: cell[0:90], flag[0:90])
    for (int phase = 0; phase < 3; phase++) {
        for (int i = 0; i < 90; i++)
            flag[i] = i % 3 == phase;
        upload_flags(&l); //@ good bad2 bad3
        stepper(&l); // or-here [bad]
    }
#pragma omp target exit data map(from: cell[0:90]) map(release: flag[0:90]) //@ good bad
#pragma omp target exit data map(from: flag[0:90]) map(release: cell[0:90]) //@ bad2 // or-here [bad2]
    int bad = 0;
    for (int i = 0; i < 90; i++)
        bad |= cell[i] != 1; //@ good bad bad2 // expect: mapping [bad2]
    free(l.cell); // expect: mapping [bad3]
    free(l.flag); // or-here [bad3]
    return bad;
}
