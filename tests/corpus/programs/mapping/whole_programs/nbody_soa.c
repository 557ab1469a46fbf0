// N-body in structure-of-arrays form; positions move on the device, energies are taken on the host.
#include <math.h>
#include <stdio.h>
#define N 128

static float px[N], py[N], vx[N], vy[N];

static void forces(float dt)
{
#pragma omp target teams distribute parallel for map(to: px, py) map(tofrom: vx, vy)
    for (int i = 0; i < N; i++) {
        float fx = 0, fy = 0;
        for (int j = 0; j < N; j++) {
            float dx = px[j] - px[i], dy = py[j] - py[i], d2 = dx * dx + dy * dy + 0.01f;
            float inv = 1.0f / (d2 * sqrtf(d2));
            fx += dx * inv;
            fy += dy * inv;
        }
        vx[i] += dt * fx;
        vy[i] += dt * fy;
    }
}

static void move(float dt)
{
#pragma omp target teams distribute parallel for map(to: vx, vy) map(tofrom: px, py) //@ good bad bad3
#pragma omp target teams distribute parallel for map(to: vx, vy) map(to: px, py) //@ bad2 // expect: mapping [bad2]
    for (int i = 0; i < N; i++) {
        px[i] += dt * vx[i]; // or-here [bad2]
        py[i] += dt * vy[i]; // or-here [bad2]
    }
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        px[i] = cosf(i);
        py[i] = sinf(2 * i);
    }
    float before = 0, after = 0;
    for (int i = 0; i < N; i++)
        before += px[i] * px[i];
#pragma omp target data map(to: vx, vy) map(tofrom: px, py) //@ good bad3
#pragma omp target data map(to: vx, vy, px, py) //@ bad // or-here [bad]
#pragma omp target data map(to: vx, vy) //@ bad2
    {
        for (int t = 0; t < 4; t++) {
            forces(0.01f);
            move(0.01f);
        }
        for (int i = 0; i < N; i++) //@ bad3
            after += px[i] * px[i]; //@ bad3 // expect: mapping [bad3]
    }
    for (int i = 0; i < N; i++) //@ good bad bad2
        after += px[i] * px[i]; //@ good bad bad2 // expect: mapping [bad]
    printf("%g %g\n", before, after);
    return before == after;
}
