// a list is followed on the device
#include <stdio.h>
#include <stdlib.h>
typedef struct node { int v; struct node *next; } node;
int main(void)
{
    node *head = NULL;
    for (int i = 0; i < 10; i++) { node *n = malloc(sizeof *n); n->v = i; n->next = head; head = n; }
    int sum = 0;
    //@ bad {
    #pragma omp target map(to: head[0:1]) map(tofrom: sum)
    for (node *p = head; p; p = p->next) // expect: mapping
        sum += p->v; // or-here
    //@ }
    //@ good {
    int flat[10], k = 0;
    for (node *p = head; p; p = p->next) flat[k++] = p->v;
    #pragma omp target map(to: flat) map(tofrom: sum)
    for (int i = 0; i < 10; i++)
        sum += flat[i];
    //@ }
    printf("%d\n", sum);
    return 0;
}
