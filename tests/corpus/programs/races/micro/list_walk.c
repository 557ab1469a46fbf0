#include <stdio.h>
#include <stdlib.h>
struct node { int v; struct node *next; };
int main(void)
{
    struct node *head = NULL;
    int sum = 0;
    for (int i = 0; i < 30; i++) {
        struct node *n = malloc(sizeof *n);
        n->v = i, n->next = head, head = n;
    }
    #pragma omp parallel
    #pragma omp single
    for (struct node *p = head; p; p = p->next) {
        #pragma omp task firstprivate(p) // or-here
        {
            p->v *= 2;
            #pragma omp atomic //@ good
            sum += p->v; // expect: race
        }
    }
    printf("%d\n", sum);
    return 0;
}
