/* Tables of functions and of strings: on a device they lead to the device's own functions and strings. */
#include <math.h>
#include <string.h>

#include "expect.h"

typedef double operation(double, double);
#pragma omp declare target
static double add(double a, double b)
{
    return a + b;
}
static double sub(double a, double b)
{
    return a - b;
}
static double scaled(double a, double b);
static operation *const constant[] = {add, sub};
static operation *plain[2] = {sub, &scaled};
static const struct entry {
    const char *name;
    operation *apply;
    int arity;
} entries[] = {{"add", add, 2}, {.name = "subtract", .apply = sub, .arity = 2}, {"pow", pow, 2}};
static const char *const words[2][2] = {{"zero", "one"}, {"two", "three"}};
static double scaled(double a, double b)
{
    return constant[0](a, b) * strlen(words[1][1]);
}
static double named(const char *name, double a, double b)
{
    for (unsigned k = 0; k < sizeof entries / sizeof *entries; k++)
        if (strcmp(entries[k].name, name) == 0)
            return entries[k].apply(a, b) + entries[k].arity;
    return -1;
}
#pragma omp end declare target

int main(void)
{
    double r[6] = {0}, all[100];
    int n = 1;
#pragma omp target map(tofrom : r)
    {
        r[0] = constant[n](5, 3);
        r[1] = plain[n](5, 3);
        r[2] = named("subtract", 5, 3);
        r[3] = named("pow", 2, 10);
        r[4] = strlen(words[n][0]) + words[0][n][0];
        r[5] = entries[0].apply == add && entries[1].apply != add;
    }
    expect(r[0], 2, "a table of constants");
    expect(r[1], 40, "a table that never changes");
    expect(r[2], 4, "an entry");
    expect(r[3], 1026, "a function of the library");
    expect(r[4], 3 + 'o', "strings");
    expect(r[5], 1, "a comparison");
#pragma omp target teams distribute parallel for map(from : all)
    for (int i = 0; i < 100; i++)
        all[i] = plain[i % 2](i, 1) + constant[i % 2](i, 1);
    expect(all[3], 4 * 5 + 2, "in a loop");
    expect(all[4], 3 + 5, "the other one in a loop");
    return failures != 0;
}
