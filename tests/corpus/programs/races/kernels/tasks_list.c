#include <stdio.h>
#include <stdlib.h>
struct node { int value, twice; struct node *next; };
static int total;
static void work(struct node *p)
{
    p->twice = 2 * p->value;
    #pragma omp atomic //@ good
    total += p->twice; // or-here
}
int main(void)
{
    struct node *head = NULL;
    for (int i = 0; i < 50; i++) {
        struct node *n = malloc(sizeof *n);
        *n = (struct node){i, 0, head};
        head = n;
    }
    struct node *p; //@ bad2
    #pragma omp parallel
    #pragma omp single
    {
        for (struct node *p = head; p; p = p->next) { //@ good bad
        for (p = head; p; p = p->next) { //@ bad2 // or-here
            #pragma omp task //@ good bad // or-here
            #pragma omp task shared(p) //@ bad2 // or-here
            work(p); // expect: race
        
        }
    }
    printf("%d\n", total);
    return 0;
}
