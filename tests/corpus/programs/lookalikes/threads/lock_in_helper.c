// Lock and unlock stand in functions of their own.
#include <stdio.h>
#include <omp.h>

static omp_lock_t guard;
static long balance;
static int calls;

static void enter(void) { omp_set_lock(&guard); }
static void leave(void) { omp_unset_lock(&guard); }

static void book(long amount)
{
    enter();
    balance += amount;
    calls++;
    leave();
}

static long look(void)
{
    enter();
    long b = balance;
    leave();
    return b;
}

int main(void)
{
    long seen = 0;
    omp_init_lock(&guard);
#pragma omp parallel for reduction(max: seen)
    for (int i = 1; i <= 100; i++) {
        book(i);
        long b = look();
        seen = b > seen ? b : seen;
    }
    omp_destroy_lock(&guard);
    return balance != 5050 || calls != 100 || seen != 5050;
}
