// Bodies: one kernel writes velocities, another one moves.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
typedef struct { float x, y, z, vx, vy, vz; } Body;
static void force(Body *p, float dt, int n)
{
#pragma omp target teams distribute parallel for map(tofrom: p[0:n]) //@ good bad2 bad3 // expect: mapping [bad3]
#pragma omp target teams distribute parallel for map(to: p[0:n]) //@ bad // expect: mapping [bad]
    for (int i = 0; i < n; i++) {
        float fx = 0, fy = 0, fz = 0;
        for (int j = 0; j < n; j++) {
            float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
            float inv = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-9f);
            float inv3 = inv * inv * inv;
            fx += dx * inv3; fy += dy * inv3; fz += dz * inv3;
        }
        p[i].vx += dt * fx; p[i].vy += dt * fy; p[i].vz += dt * fz;
    }
}
int main(int argc, char **argv)
{
    int n = 256;
    if (argc > 1) n = atoi(argv[1]);
    Body *p = malloc(n * sizeof(Body));
    for (int i = 0; i < n; i++) {
        p[i].x = i * 0.5f; p[i].y = i % 7; p[i].z = i % 11;
        p[i].vx = p[i].vy = p[i].vz = 0;
    }
#pragma omp target data map(tofrom: p[0:n]) //@ good
#pragma omp target data map(from: p[0:n]) //@ bad2 // expect: mapping [bad2]
#pragma omp target data map(tofrom: p[0:n / 2]) //@ bad3 // expect: mapping [bad3]
    for (int it = 0; it < 5; it++) {
        force(p, 0.01f, n); // expect: mapping [bad3]
#pragma omp target teams distribute parallel for //@ good bad2 bad3 // expect: mapping [bad3]
#pragma omp target teams distribute parallel for map(tofrom: p[0:n]) //@ bad // expect: mapping [bad]
        for (int i = 0; i < n; i++) {
            p[i].x += p[i].vx * 0.01f; // expect: mapping [bad bad2 bad3]
            p[i].y += p[i].vy * 0.01f;
            p[i].z += p[i].vz * 0.01f;
        }
    }
    float e = 0;
    for (int i = 0; i < n; i++) e += p[i].vx * p[i].vx; // expect: mapping [bad]
    printf("%g\n", e);
    free(p);
    return 0;
}
