// Different names on the device.
#include <stdio.h>

int main(void)
{
    int balance = 100;
#pragma omp target map(tofrom: balance)
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(deposit) //@ bad
#pragma omp critical(account) //@ good
        balance += 10; // expect: race
#pragma omp critical(withdraw) //@ bad
#pragma omp critical(account) //@ good
        balance -= 10; // or-here
    }
    return balance != 100;
}
