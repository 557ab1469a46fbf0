// Nodes on the device, with `next` pointers of the host.
#include <stdio.h>

struct node { int value; struct node *next; };

int main(void)
{
    struct node third = { 3, NULL }, second = { 2, &third }, first = { 1, &second };
    int sum = 0;
#pragma omp target map(to: first) map(tofrom: sum) //@ bad // expect: mapping
#pragma omp target map(to: first, first.next[0:1], first.next->next[0:1]) map(tofrom: sum) //@ good
#pragma omp target map(to: first) map(to: second, third) map(tofrom: sum) //@ good2
    {
        for (struct node *n = &first; n; n = n->next) //@ bad good // or-here
            sum += n->value; //@ bad good // or-here
        sum = first.value + second.value + third.value; //@ good2
    }
    printf("%d\n", sum);
    return sum != 6;
}
