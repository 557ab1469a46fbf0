/* Programs older than C99 have a `bool`, `true` and `false` of their own. */
#include "expect.h"

typedef enum { false, true } bool;
typedef struct {
    bool prime;
    _Bool odd;
} number;

static const bool small[4] = {false, false, true, true};

static bool is_prime(n)
int n;
{
    int d;
    for (d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return n > 1 ? true : (bool)0;
}

int main(void)
{
    number all[100];
    bool flags[100], each = true;
    int primes = 0, size = 0;
#pragma omp target teams distribute parallel for map(from : all, flags, size) reduction(+ : primes)
    for (int i = 0; i < 100; i++) {
        _Bool odd = i & 2;
        all[i].prime = is_prime(i);
        all[i].odd = i % 2 * 4;
        flags[i] = i < 4 ? small[i] : !(all[i].prime == false);
        if (flags[i] == true && odd <= true)
            primes++;
        if (i == 7)
            size = (int)sizeof(bool) + (int)sizeof(_Bool);
    }
    expect(primes, 25, "an enumeration of true and false");
    expect(size, sizeof(bool) + sizeof(_Bool), "beside C's own type");
    expect(all[97].prime * 10 + all[97].odd + flags[97], 12, "in structures and arrays");
#pragma omp target map(tofrom : each) map(to : flags)
    {
        bool other = flags[4];
        each = (bool)(each && (other == false));
    }
    expect(each, true, "a variable of that type");
    return failures != 0;
}
