// Structs by value in an array: no pointers in them, nothing to attach.
#include <stdio.h>
#include <stdlib.h>

typedef struct { float x, y, z; int kind; } body;

static void push(body *b, int n, float dt)
{
#pragma omp target teams distribute parallel for map(tofrom: b[0:n])
    for (int i = 0; i < n; i++) {
        body t = b[i];
        t.x += dt;
        if (t.kind)
            t.y -= dt;
        b[i] = t;
    }
}

int main(void)
{
    int n = 20;
    body *b = calloc(n, sizeof *b);
    b[3].kind = 1;
    push(b, n, 0.5f);
    int wrong = b[3].y != -0.5f || b[19].x != 0.5f || b[2].y != 0.0f;
    free(b);
    return wrong;
}
