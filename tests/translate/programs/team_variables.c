/* Copies that clauses of teams, distribute and target make, used by the threads of parallel regions inside. */
#include "expect.h"

int main(void)
{
    enum { N = 1000, PART = 64 };
    static long a[N];
    for (int i = 0; i < N; i++)
        a[i] = i;

    long sum = 5;
#pragma omp target teams distribute map(tofrom : sum) map(to : a) reduction(+ : sum)
    for (int first = 0; first < N; first += PART) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = first; i < (first + PART < N ? first + PART : N); i++)
            sum += a[i];
    }
    expect(sum, 5 + N * (N - 1L) / 2, "a reduction of the teams, joined in parallel regions");

    long most = 0;
#pragma omp target teams map(tofrom : most) map(to : a) reduction(max : most) num_teams(2)
    {
#pragma omp parallel reduction(max : most)
        {
#pragma omp for
            for (int i = 0; i < N; i++)
                if (a[i] > most)
                    most = a[i];
        }
#pragma omp parallel
        {
#pragma omp atomic
            most += 0;
        }
    }
    expect(most, N - 1, "a reduction of the teams, also shared in a parallel region");

    long scratch = 0, total = 0;
#pragma omp target map(tofrom : total) map(to : a) private(scratch)
    {
        scratch = 0;
#pragma omp parallel for reduction(+ : scratch)
        for (int i = 0; i < N; i++)
            scratch += a[i];
        total = scratch;
#pragma omp parallel for private(scratch)
        for (int i = 0; i < N; i++) {
            scratch = a[i];
            a[i] = scratch * 2;
        }
        total += scratch;
    }
    expect(total, N * (N - 1L), "a private variable of the target region");
    return failures != 0;
}
