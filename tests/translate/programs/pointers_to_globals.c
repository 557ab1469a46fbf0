/* `declare target` pointers that begin with the address of a variable: on a device, of the device's own. */
#include "expect.h"

struct list {
    int value;
    struct list *next;
};
#pragma omp declare target
int a[10] = {1, 2, 3, 4}, *p = &a[2], *q[2][2] = {{a, 0}, {0, a + 1}};
static int b = 5, *const to_b = &b;
static struct list third = {30, 0}, second = {20, &third}, first = {10, &second}, *head = &first;
static struct {
    long before;
    struct {
        int *inside[2];
    } deep;
} record = {1, {{&b, a + 3}}};
static void push(struct list *l)
{
    l->next = head;
    head = l;
}
const char *names[] = {[0 ... 2] = "r", "last"};
int *same[] = {[0 ... 2] = (int[]){3}, (int[]){4}};
/* An address behind a variable may be the one at which the next one begins. */
int empty[0], *to_empty = empty, items[2] = {1, 2}, others[2] = {10, 20}, *end = items + 2, *begin = items;
struct list last = {3, 0}, rows[2], *ends[3] = {&last + 1, &rows[2], rows + 1}, (*row)[2] = &rows + 1;
struct {
    unsigned bits : 3, : 5;
    struct {
        int *inner;
    };
    union {
        long number;
        int *end;
    };
} parts = {1, {&items[2]}, {.end = &items[1] + 1}};
#pragma omp end declare target
static int own = 5, *to_own = &own;
static struct {
    int x;
} unnamed = {6}, *to_unnamed = &unnamed;
#pragma omp declare target to(to_own, to_unnamed)

int main(void)
{
    int r[20] = {0};
    p = 0; /* what the host does after the start says nothing about the device */
#pragma omp target map(tofrom : r) if (1)
    {
        if (!p)
            p = a + 2; /* in place it is the host's */
        r[0] = *p++;
        r[1] = *q[0][0] * 10 + *q[1][1] + (q[0][1] == 0);
        *to_b += 1;
        r[2] = b;
        for (struct list *l = head; l; l = l->next)
            r[3] += l->value;
        *record.deep.inside[1] += *record.deep.inside[0];
        r[4] = a[3];
    }
#pragma omp target map(tofrom : r)
    {
        static struct list more = {40, 0};
        push(&more);
        r[5] = *p;
        for (struct list *l = head; l; l = l->next)
            r[6] += l->value;
        r[7] = names[0][0] + names[2][0] * 1000;
        r[8] = names[3][3];
        *same[0] += 4;
        r[9] = *same[2] * 10 + *same[3];
        r[10] = own + *to_own + to_unnamed->x;
    }
    for (int k = 0; k < 2; k++) {
#pragma omp target map(from : r[11 : 9])
        {
            r[11] = end - begin;
            r[12] = 0;
            for (int *at = begin; at != end && r[12] < 1000; at++)
                r[12] += *at;
            r[13] = ends[0] - &last;
            r[14] = ends[1] - ends[2];
            r[15] = parts.inner - items;
            r[16] = parts.end - items;
            r[17] = row - &rows;
            r[19] = to_empty != 0;
        }
        expect(r[11], 2, "the length up to an end");
        expect(r[12], 3, "a loop up to an end");
        expect(r[13], 1, "behind a structure");
        expect(r[14], 1, "behind an array of structures");
        expect(r[15], 2, "an end in a structure");
        expect(r[16], 2, "an end in a union");
        expect(r[17], 1, "behind a row");
        expect(r[19], 1, "an array without elements");
#pragma omp target update to(end, ends, parts)
#pragma omp target update from(end, ends, parts)
        expect(end == items + 2 && ends[1] == &rows[2], 1, "the host's pointers after an update");
    }
    begin = others;
    end = &others[1];
#pragma omp target update to(begin, end)
#pragma omp target map(from : r[18 : 1])
    r[18] = *begin + *end;
    expect(r[18], 30, "pointers that an update leads elsewhere");
    expect(r[0], 3, "into an array");
    expect(r[1], 13, "an array of pointers");
    expect(r[2], 6, "a constant pointer");
    expect(r[3], 60, "a list");
    expect(r[4], 10, "pointers in a structure");
    expect(r[5], 10, "the next region");
    expect(r[6], 100, "a list that grew");
    expect(r[7], 114114, "one string for a range of pointers");
    expect(r[8], 't', "the string behind a range");
    expect(r[9], 74, "one literal for a range of pointers");
    expect(r[10], 16, "a variable of the same declaration");
    return failures != 0;
}
