// A helper maps an array of its own and hands only the sum to the caller.
static int weigh(int seed)
{
    int tmp[100], sum = 0;
#pragma omp target data map(alloc: tmp) //@ good bad2
#pragma omp target data map(alloc: tmp[0:50]) //@ bad // or-here [bad]
    {
#pragma omp target teams distribute parallel for firstprivate(seed)
        for (int i = 0; i < 100; i++)
            tmp[i] = i ^ seed; // expect: mapping [bad]
#pragma omp target teams distribute parallel for reduction(+: sum) map(tofrom: sum) //@ good bad
#pragma omp target teams distribute parallel for reduction(+: sum) map(to: sum) //@ bad2 // expect: mapping [bad2]
        for (int i = 0; i < 100; i++)
            sum += tmp[i]; // or-here [bad bad2]
    }
    return sum; // or-here [bad2]
}

int main(void)
{
    int want = 0;
    for (int i = 0; i < 100; i++)
        want += i ^ 5;
    return weigh(5) != want;
}
