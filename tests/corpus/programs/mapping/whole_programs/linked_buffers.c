// A chain of buffers; each is mapped when it is created and released when it is taken from the chain.
#include <stdlib.h>

struct buffer {
    struct buffer *next;
    int len;
    int *bytes;
};

static struct buffer *push(struct buffer *head, int len, int seed)
{
    struct buffer *b = malloc(sizeof *b);
    b->next = head;
    b->len = len;
    b->bytes = malloc(len * sizeof(int));
    for (int i = 0; i < len; i++)
        b->bytes[i] = seed + i;
    int *p = b->bytes;
#pragma omp target enter data map(to: p[0:len])
    return b;
}

static void increment(struct buffer *head)
{
    for (struct buffer *b = head; b; b = b->next) {
        int *p = b->bytes, n = b->len;
#pragma omp target teams distribute parallel for map(tofrom: p[0:n])
        for (int i = 0; i < n; i++)
            p[i]++;
    }
}

static int drain(struct buffer *head)
{
    int sum = 0;
    while (head) {
        struct buffer *b = head;
        int *p = b->bytes, n = b->len;
        head = b->next;
#pragma omp target exit data map(from: p[0:n]) //@ good
#pragma omp target exit data map(release: p[0:n]) //@ bad // or-here [bad]
        for (int i = 0; i < n; i++)
            sum += p[i]; // expect: mapping [bad bad2]
#pragma omp target exit data map(from: p[0:n]) //@ bad2
        free(p);
        free(b);
    }
    return sum;
}

int main(void)
{
    struct buffer *head = NULL;
    int want = 0;
    for (int k = 0; k < 5; k++) {
        head = push(head, 10 + k, k);
        for (int i = 0; i < 10 + k; i++)
            want += k + i + 1;
    }
    increment(head);
    return drain(head) != want;
}
