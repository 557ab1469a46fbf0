/* Tasks with variables of many kinds: recorded and replayed, they give what they give in a `taskgroup`. */
#include <complex.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { double x; struct { int a[3]; } in; } cell;
typedef enum { RED, GREEN } colour;
struct list { struct list *next; int value; };

static cell grid[4];
static int calls;
static double half(double x) { return x / 2; }
static double (*op)(double) = half;
static void note(const char *what, int n) { calls += n + (what[0] == 'x'); }

#define SQUARE(v) ((v) * (v))
#define FUNCTION(NAME, DIRECTIVE) \
    static double NAME(int n, const char *name, double complex z, bool on, colour c, double rows[][2]) \
    { \
        cell local = {n, {{1, 2, 3}}}; \
        double out[4] = {0}, scale = n * .5; \
        struct list first = {0, n}; \
        volatile int seen = 0; \
        const int *pn = &n; \
        _Pragma(DIRECTIVE) \
        for (int k = 3; k >= 0; --k) { \
            const double w = k * .25; \
            long long big = 1LL << k; \
            unsigned char b = (unsigned char)(k + 250); \
            _Pragma("omp task depend(out: out[k]) shared(out, local) firstprivate(scale)") \
            { \
                double t[3], x = SQUARE(w) + scale; \
                for (int i = 0; i < 3; i++) \
                    t[i] = local.in.a[i] * x; \
                out[k] = t[0] + t[1] + t[2] + (double)big + b + (on ? creal(z) : cimag(z)) + (c == GREEN) + rows[k][1]; \
                note(name, k); \
                if (k == 2) \
                    goto done; \
                out[k] += sizeof(out) + sizeof local; \
            done:; \
                struct list *l = (struct list *)malloc(sizeof *l); \
                *l = (struct list){0, k}; \
                out[k] += l->value; \
                jmp_buf back; \
                int *more = (int *)__builtin_alloca(sizeof *more); \
                *more = k + 1; \
                if (setjmp(back) == 0) \
                    longjmp(back, 1); \
                out[k] += *more; \
                free(l); \
            } \
            _Pragma("omp task depend(inout: out[k]) shared(out, first, seen)") \
            { \
                out[k] = op(out[k]); \
                first.value += k; \
                seen = seen + *pn; \
                grid[k].x += (cell){.x = out[k]}.x; \
                switch (k) { \
                case 1: out[k] += 1; break; \
                default: out[k] -= 1; \
                } \
            } \
        } \
        return out[0] + out[1] + out[2] + out[3] + first.value + seen + local.x + calls + grid[3].x; \
    }

FUNCTION(recorded, "omp taskgraph")
FUNCTION(grouped, "omp taskgroup")

int main(void)
{
    double rows[4][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, results[2][6];
    int wrong = 0;
    for (int way = 0; way < 2; way++) {
        calls = 0;
        for (int k = 0; k < 4; k++)
            grid[k].x = 0;
        for (int r = 0; r < 6; r++) {
            rows[2][1] = r;
            results[way][r] = (way ? grouped : recorded)(r, r % 2 ? "x" : "y", r + 2 * r * I, r % 3 == 0, r % 2, rows);
        }
    }
    for (int r = 0; r < 6; r++)
        wrong += results[0][r] != results[1][r];
    printf("%d of 6 are wrong, the last is %g\n", wrong, results[0][5]);
    return wrong != 0;
}
