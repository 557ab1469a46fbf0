/* Types given by expressions: what a kernel reaches through a pointer keeps the type that it has in the program. */
#include "expect.h"

struct pair {
    int first;
    float c;
};

#pragma omp declare target
static short shared_value = 3;
static int of_global(void)
{
    __typeof__(shared_value) copy = shared_value;
    return sizeof copy + sizeof(__typeof__(shared_value)) + copy;
}
#pragma omp end declare target

int main(void)
{
    struct pair pairs[3] = {{1, 2}, {3, 4}, {5, 6.5f}};
    char c = 1;
    int n = 4, sizes = 0, text = 0, global = 0;
    float sum = 0, whole = 0;
#pragma omp target map(tofrom : sizes, text, global, sum, whole, c) map(to : pairs, n)
    {
        __typeof__(pairs[1].c) second = pairs[1].c;
        /* typeof(c) */ __typeof__(c) small = 127;
        typeof(n) number = n;
        sum = second + number;
        whole = (__typeof__(pairs[0].first))pairs[2].c;
        sizes = sizeof small + 10 * sizeof(typeof(c)) + 100 * sizeof(__typeof__(pairs[0])) +
                10000 * sizeof(typeof(&pairs[0].c));
        text = sizeof "typeof(c)";
        global = of_global();
        c = small;
    }
    expect(sum, 8, "a member's type");
    expect(whole, 6, "a cast");
    expect(sizes, 80811, "sizes");
    expect(text, 10, "words in a literal");
    expect(global, 7, "a declare target variable");
    expect(c, 127, "a variable that is mapped");
    return failures != 0;
}
