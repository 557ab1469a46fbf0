// A file that only enters; another file of the project exits.
#include <stdlib.h>

typedef struct mesh { int cells; double *volume; int *owner; } mesh;

int mesh_upload(mesh *m)
{
    double *volume = m->volume;
    int *owner = m->owner;
    if (!volume || !owner)
        return -1;
#pragma omp target enter data map(to: volume[0:m->cells], owner[0:m->cells])
    return 0;
}

void mesh_scale(mesh *m, double f)
{
    double *volume = m->volume;
    int cells = m->cells;
#pragma omp target teams distribute parallel for
    for (int i = 0; i < cells; i++)
        volume[i] *= f;
}

void mesh_fetch(mesh *m)
{
    double *volume = m->volume;
#pragma omp target update from(volume[0:m->cells])
}
//@ run {
int main(void)
{
    mesh m = { 9, calloc(9, sizeof(double)), calloc(9, sizeof(int)) };
    m.volume[8] = 2.0;
    mesh_upload(&m);
    mesh_scale(&m, 4.0);
    mesh_fetch(&m);
    double *volume = m.volume;
    int *owner = m.owner;
#pragma omp target exit data map(delete: volume[0:9], owner[0:9])
    int wrong = m.volume[8] != 8.0;
    free(volume);
    free(owner);
    return wrong;
}
