/* Objects whose flexible array member is initialized (GNU C): what is behind the structure travels with it. */
#include "expect.h"

struct text {
    int length;
    char s[];
};

static struct text everywhere = {3, "abc"};
#pragma omp declare target(everywhere)
struct text mapped = {5, "defgh"};

int main(void)
{
    static struct text local = {2, "ij"};
    int seen = 0;
#pragma omp target map(from : seen)
    seen = everywhere.s[2];
    EXPECT(seen, 'c');
#pragma omp target map(tofrom : mapped) map(from : seen)
    {
        seen = mapped.s[4];
        mapped.s[1] = 'E';
    }
    EXPECT(seen, 'h');
    EXPECT(mapped.s[1], 'E');
#pragma omp target map(from : seen)
    {
        seen = local.s[1];
        local.s[0] = 'I';
    }
    EXPECT(seen, 'j');
    EXPECT(local.s[0], 'I');
    everywhere.s[0] = 'A';
#pragma omp target update to(everywhere)
#pragma omp target map(from : seen)
    seen = everywhere.s[0];
    EXPECT(seen, 'A');
    return 0;
}
