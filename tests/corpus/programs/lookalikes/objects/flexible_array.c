// A struct with a flexible array member is one block of bytes.
#include <stdio.h>
#include <stdlib.h>

struct packet { int len; unsigned char body[]; };

int main(void)
{
    int len = 32;
    size_t bytes = sizeof(struct packet) + len;
    struct packet *p = malloc(bytes);
    p->len = len;
    for (int i = 0; i < len; i++)
        p->body[i] = (unsigned char)i;
    char *raw = (char *)p;
#pragma omp target map(tofrom: raw[0:bytes])
    {
        struct packet *d = (struct packet *)raw;
        for (int i = 0; i < d->len; i++)
            d->body[i] ^= 0xff;
    }
    int wrong = p->body[1] != 0xfe;
    free(p);
    return wrong;
}
