/* metadirective: chosen for the host and for the device at translation, by conditions when the program runs. */
#include <omp.h>

#include "../expect.h"

#define CHOOSE(n) _Pragma("omp metadirective when(user={condition(n > 4)}: target teams distribute parallel for map(tofrom: a)) otherwise(parallel for)")

/* Called on the host and on the device. */
#pragma omp declare target
static int where(void)
{
    int place = 0;
#pragma omp metadirective when(device = {kind(nohost)}: atomic update) otherwise(nothing)
    place += 1;
#pragma omp metadirective when(device = {kind(host)} : nothing) otherwise(parallel num_threads(1))
    place += 10 * !omp_is_initial_device();
    return place;
}
#pragma omp end declare target

static int on_host(int n)
{
    int a[8] = {0}, device = 0;
    CHOOSE(n)
    for (int i = 0; i < 8; i++) // with a comment
        a[i] += i * n;
    for (int i = 0; i < 8; i++)
        expect(a[i], i * n, "a macro's loop");

    /* Three ways, the target construct in the middle. */
#pragma omp metadirective when(user = {condition(n == 1)} : parallel for) \
    when(user = {condition(n == 5)} : target map(tofrom : a, device)) \
    default(nothing)
    for (int i = 0; i < 8; i++) {
        a[i]++;
        if (i == 0)
            device = !omp_is_initial_device();
    }
    expect(a[7], 7 * n + 1, "three ways");
    expect(device, n == 5, "the device's way");
    return a[1];
}

int main(void)
{
    int a[16] = {0}, b = 0, lines = 0, teams = 0;
    on_host(1);
    on_host(3);
    on_host(5); // the region of the macro runs in this call, too

#pragma omp target map(tofrom : a, b)
    {
#pragma omp metadirective when(device = {arch("nvptx")} : parallel for) when(device = {arch("amdgcn")} : teams) \
    otherwise(parallel for num_threads(2))
        for (int i = 0; i < 16; i++)
            a[i] = i;
        b = where();
    }
    for (int i = 0; i < 16; i++)
        expect(a[i], i, "inside a region");
    expect(b, 11, "a function on the device");
    expect(where(), 1, "a function on the host");

    /* Scores: the higher one wins although it comes later. */
#pragma omp metadirective when(implementation = {vendor(score(2) : gnu)} : parallel num_threads(2)) \
    when(user = {condition(score(9) : 1)} : parallel num_threads(3)) otherwise(nothing)
    {
#pragma omp masked
        lines = omp_get_num_threads();
    }
    expect(lines, 3, "scores");

#pragma omp begin metadirective when(user = {condition(lines == 3)} : target map(tofrom : teams, b)) otherwise(parallel)
    teams = 4;
    b = 7;
#pragma omp end metadirective
    expect(teams + b, 11, "begin and end");

    /* What the device is like. */
    int device = omp_get_default_device(), there = 0;
#pragma omp metadirective when(target_device = {kind(nohost), device_num(device)} : target map(tofrom : there)) \
    otherwise(parallel num_threads(1))
    there = 1 + !omp_is_initial_device();
    expect(there, 2, "target_device");
#pragma omp metadirective when(target_device = {kind(fpga)} : target) otherwise(nothing)
    there = 3;
    expect(there, 3, "no such device");
    int constant = 0;
#pragma omp metadirective when(user = {condition(0)} : parallel for ordered) when(user = {condition(1)} : parallel for reduction(+ : constant))
    for (int i = 0; i < 10; i++)
        constant += i;
    expect(constant, 45, "constant conditions");
    if (failures == 0) {
#pragma omp metadirective when(user = {condition(device >= 0)} : barrier) otherwise(nothing)
    }
    return failures != 0;
}
