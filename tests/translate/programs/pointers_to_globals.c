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
#pragma omp end declare target

int main(void)
{
    int r[8] = {0};
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
    }
    expect(r[0], 3, "into an array");
    expect(r[1], 13, "an array of pointers");
    expect(r[2], 6, "a constant pointer");
    expect(r[3], 60, "a list");
    expect(r[4], 10, "pointers in a structure");
    expect(r[5], 10, "the next region");
    expect(r[6], 100, "a list that grew");
    return failures != 0;
}
