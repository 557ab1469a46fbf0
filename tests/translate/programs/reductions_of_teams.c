/* Reductions whose values are no words, over any number of teams: each leaves a part, and the last of them joins these. */
#include <complex.h>
#include <stdio.h>

typedef struct {
    double value;
    int at;
} place;

#pragma omp declare target
static place smaller(place a, place b)
{
    return b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a;
}
#pragma omp end declare target
#pragma omp declare reduction(least : place : omp_out = smaller(omp_out, omp_in)) initializer(omp_priv = {1e300, -1})

enum { N = 5000, LOW = 1733 };
static double x[N];
static int failures;

static void check(const char *what, int teams, int threads, place got)
{
    if (got.value != x[LOW] || got.at != LOW) {
        printf("%s with %d teams of %d: %g at %d\n", what, teams, threads, got.value, got.at);
        failures++;
    }
}

static void alone(int teams, int threads)
{
    place found = {1e300, -1};
    double complex sum = 1;
    __int128 wide = 0;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) map(to : x) \
    reduction(least : found) reduction(+ : sum, wide)
    for (int i = 0; i < N; i++) {
        place mine = {x[i], i};
        found = smaller(found, mine);
        sum += i + 2 * I;
        wide += (__int128)1 << 64;
    }
    check("alone", teams, threads, found);
    if (creal(sum) != 1 + N / 2 * (N - 1.0) || cimag(sum) != 2.0 * N || wide >> 64 != N) {
        printf("sums with %d teams of %d: %g + %gi, %d\n", teams, threads, creal(sum), cimag(sum), (int)(wide >> 64));
        failures++;
    }
}

static void in_a_grid(int teams, int threads)
{
    place found = {1e300, -1};
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) thread_limit(threads) reduction(least : found)
    for (int i = 0; i < N / 50; i++)
        for (int j = 0; j < 50; j++) {
            place mine = {x[50 * i + j], 50 * i + j};
            found = smaller(found, mine);
        }
    check("in a grid", teams, threads, found);
}

static void by_turns(int teams, int threads)
{
    place found = {1e300, -1};
#pragma omp target teams num_teams(teams) thread_limit(threads) map(tofrom : found) reduction(least : found)
#pragma omp distribute parallel for reduction(least : found)
    for (int i = 0; i < N; i++) {
        place mine = {x[i], i};
        found = smaller(found, mine);
    }
    check("by turns", teams, threads, found);
}

static void at_once(int teams, int threads)
{
    place a = {1e300, -1}, b = a, c = a;
#pragma omp target teams distribute parallel for nowait num_teams(teams) thread_limit(threads) reduction(least : a)
    for (int i = 0; i < N; i++)
        a = smaller(a, (place){x[i], i});
#pragma omp target teams distribute parallel for nowait num_teams(teams) thread_limit(threads) reduction(least : b)
    for (int i = 0; i < N; i++)
        b = smaller(b, (place){x[i], i});
#pragma omp target teams distribute parallel for nowait num_teams(teams) thread_limit(threads) reduction(least : c)
    for (int i = 0; i < N; i++)
        c = smaller(c, (place){x[i], i});
#pragma omp taskwait
    check("at once", teams, threads, a);
    check("at once, too,", teams, threads, b);
    check("at once as well", teams, threads, c);
}

int main(void)
{
    for (int i = 0; i < N; i++)
        x[i] = (i * 37 % 101) + 5;
    x[LOW] = -1.5;
    x[LOW + 1] = -1.5;
    const int teams[] = {1, 2, 33, 100}, threads[] = {1, 5, 32, 70, 128};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++) {
            alone(teams[i], threads[j]);
            in_a_grid(teams[i], threads[j]);
            by_turns(teams[i], threads[j]);
        }
    at_once(33, 70);
    return failures != 0;
}
