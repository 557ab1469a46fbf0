/* declare_target: functions and globals that exist on the device, too.
 *
 * What to look at: a global variable under `declare target` has one copy per device for the whole run. It starts with
 * its initialiser; when the host changes its own copy later, the device learns of it by `target update` only. The
 * helper functions are called from the region, so the device needs them: they stand between `declare target` and
 * `end declare target` with the global. (Since OpenMP 5.0 a function that is defined in the same file would be taken
 * along without being declared; across files the declaration is needed.) The structure `bodies[i]` is an ordinary
 * array element: structures are mapped bit by bit.
 */
#include <math.h>
#include <stdio.h>

#define N 2000

struct body {
    double mass;
    double position[3];
    double energy;
};

#pragma omp declare target
double gravity = 9.81;
int evaluations = 0;

static double height_of(const struct body *b)
{
    return b->position[2];
}

static double potential_energy(const struct body *b)
{
    return b->mass * gravity * height_of(b);
}
#pragma omp end declare target

static struct body bodies[N];

static void evaluate(void)
{
    #pragma omp target teams distribute parallel for map(tofrom: bodies)
    for (int i = 0; i < N; i++) {
        bodies[i].energy = potential_energy(&bodies[i]);
        #pragma omp atomic
        evaluations++;
    }
}

/* How many energies differ from what they should be under gravity g. */
static int count_wrong(double g)
{
    int wrong = 0;
    for (int i = 0; i < N; i++)
        if (fabs(bodies[i].energy - bodies[i].mass * g * bodies[i].position[2]) > 1e-9)
            wrong++;
    return wrong;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        bodies[i] = (struct body){.mass = 1.0 + i % 10, .position = {i, -i, 0.5 * i}, .energy = 0.0};

    evaluate();
    int wrong_on_earth = count_wrong(9.81);

    gravity = 1.62; /* on the moon */
    #pragma omp target update to(gravity)
    evaluate();
    int wrong_on_moon = count_wrong(1.62);

    /* The device counted in its own copy of `evaluations`, through both regions. */
    #pragma omp target update from(evaluations)
    int wrong = wrong_on_earth || wrong_on_moon || evaluations != 2 * N;
    printf("declare_target: %d evaluations, energy[10] = %.3f, %s\n", evaluations, bodies[10].energy,
           wrong ? "WRONG" : "correct");
    return wrong;
}
