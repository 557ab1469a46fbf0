/* Members of structures in arrays, listed in any order: what is mapped reaches from the first to the last of them. */
#include "expect.h"

struct point {
    int x, y;
    double z;
};
struct shape {
    int head;
    struct point p[4];
    int grid[3][4], tail;
};

static void constant_subscripts(void)
{
    struct shape s = {.head = 7, .p = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}, .tail = 9};
#pragma omp target map(tofrom : s.p[1].x, s.p[0].y)
    {
        s.p[1].x += 100;
        s.p[0].y += 200;
    }
    expect(s.p[1].x, 104, "p[1].x");
    expect(s.p[0].y, 202, "p[0].y");
#pragma omp target map(tofrom : s.p[2].z) map(to : s.p[3].x) map(tofrom : s.p[0].y) map(from : s.head)
    {
        s.p[0].y += s.p[3].x;
        s.p[2].z += s.p[3].x;
        s.head = 1;
    }
    expect(s.p[0].y, 212, "p[0].y, when others are mapped, too");
    expect((long)s.p[2].z, 19, "p[2].z");
    expect(s.head, 1, "head");
#pragma omp target map(tofrom : s.grid[2][0 : 4], s.grid[0][1 : 2], s.tail)
    {
        s.grid[2][3] = 4;
        s.grid[0][2] = 3;
        s.tail++;
    }
    expect(s.grid[2][3], 4, "grid[2][3]");
    expect(s.grid[0][2], 3, "grid[0][2]");
    expect(s.tail, 10, "tail");
}

static void variable_subscripts(int k)
{
    struct shape s = {.p = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}}, many[3] = {s, s, s};
#pragma omp target map(tofrom : s.p[k].x) map(tofrom : s.p[k - 1].y) map(to : s.p[k + 1].x)
    {
        s.p[k].x += s.p[k + 1].x;
        s.p[k - 1].y += 200;
    }
    expect(s.p[1].x, 11, "p[k].x");
    expect(s.p[0].y, 202, "p[k - 1].y");
    expect(s.p[2].x, 7, "p[k + 1].x");
#pragma omp target map(tofrom : many[k + 1].head, many[0].tail, many[k].p[1].y)
    {
        many[2].head = 5;
        many[0].tail = 6;
        many[1].p[1].y += 8;
    }
    expect(many[2].head, 5, "many[2].head");
    expect(many[0].tail, 6, "many[0].tail");
    expect(many[1].p[1].y, 13, "many[1].p[1].y");
}

int main(void)
{
    constant_subscripts();
    variable_subscripts(1);
    return failures != 0;
}
