#include <stdio.h>
#define N 100
static struct { int balance, count; } account;
static void deposit(int v)
{
    #pragma omp critical(bank)
    {
        account.balance += v; // or-here
        account.count++; // or-here
    }
}
static void withdraw(int v)
{
    #pragma omp critical(bank) //@ good
    #pragma omp critical(teller) //@ bad // or-here
    #pragma omp critical //@ bad2 // or-here
    {
        account.balance -= v; // expect: race
        account.count++; // or-here
    }
}
int main(void)
{
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (i % 2)
            deposit(i);
        else
            withdraw(i);
    }
    printf("%d %d\n", account.balance, account.count);
    return 0;
}
