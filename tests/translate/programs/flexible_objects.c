/* Objects whose flexible array member is initialized (GNU C): what is behind the structure travels with it.
   Of objects on the heap the structure and its flexible member are listed: together they are one piece of storage. */
#include "expect.h"
#include <stdlib.h>

struct text {
    int length;
    char s[];
};

static struct text everywhere = {3, "abc"};
#pragma omp declare target(everywhere)
struct text mapped = {5, "defgh"};

struct vector {
    int n;
    int v[];
};

struct padded { /* the flexible member lies in its tail */
    long add;
    char kind;
    char v[];
};

struct one { /* as before C99 */
    int n;
    int v[1];
};

static struct vector *vector(int n)
{
    struct vector *f = malloc(sizeof *f + n * sizeof f->v[0]);
    f->n = n;
    for (int i = 0; i < n; i++) f->v[i] = i;
    return f;
}

static void on_the_heap(void)
{
    struct vector *f = vector(5);
#pragma omp target map(tofrom : f[0 : 1], f->v[0 : 5])
    {
        for (int i = 0; i < f->n; i++) f->v[i] += 10;
        f->n = 4;
    }
    EXPECT(f->v[4], 14);
    EXPECT(f->n, 4);
    f->n = 5;
#pragma omp target map(tofrom : f->v[1 : f->n - 1]) map(to : f[0 : 1])
    for (int i = 1; i < f->n; i++) f->v[i] += 10;
    EXPECT(f->v[1], 21);
#pragma omp target data map(to : f[0 : 1]) map(tofrom : f->v[0 : 5])
    {
#pragma omp target
        for (int i = 0; i < f->n; i++) f->v[i] += 10;
        f->v[0] = 100;
#pragma omp target update to(f->v[0 : 1])
#pragma omp target
        f->v[0] += f->n;
    }
    EXPECT(f->v[0], 105);
    EXPECT(f->v[4], 34);
#pragma omp target enter data map(to : f[0 : 1], f->v[0 : 5])
#pragma omp target
    for (int i = 0; i < f->n; i++) f->v[i] += 10;
#pragma omp target update from(f->v[0 : 2])
    EXPECT(f->v[0], 115);
    EXPECT(f->v[1], 41);
#pragma omp target exit data map(from : f->v[0 : 5]) map(release : f[0 : 1])
    EXPECT(f->v[4], 44);
    struct {
        int n;
        struct vector *f;
    } s = {3, f};
#pragma omp target map(to : s.f[0 : 1]) map(tofrom : s.f->v[0 : 5])
    for (int i = 0; i < s.f->n; i++) s.f->v[i] = s.n;
    EXPECT(f->v[4], 3);
    free(f);
}

static void in_the_tail(void)
{
    struct padded *p = malloc(sizeof *p + 20);
    p->add = 3;
    for (int i = 0; i < 20; i++) p->v[i] = 'a' + i;
#pragma omp target map(to : p[0 : 1]) map(tofrom : p->v[0 : 20])
    for (int i = 0; i < 20; i++) p->v[i] += p->add;
    EXPECT(p->v[0], 'd');
    EXPECT(p->v[19], 'w');
#pragma omp target map(to : p->v[0 : 2]) map(tofrom : p[0 : 1])
    p->add += p->v[0] - p->v[1];
    EXPECT(p->add, 2);
    free(p);
    struct one *o = malloc(sizeof *o + 4 * sizeof o->v[0]);
    o->n = 5;
    for (int i = 0; i < o->n; i++) o->v[i] = i;
#pragma omp target map(to : o[0 : 1]) map(tofrom : o->v[0 : o->n])
    for (int i = 0; i < o->n; i++) o->v[i] += o->n;
    EXPECT(o->v[4], 9);
    free(o);
}

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
    on_the_heap();
    in_the_tail();
    return failures != 0;
}
