/* What of a `taskgraph` comes from its record, and what from the present encounter (OpenMP 6.0 section 14.3). */
#include <stdio.h>
#include <string.h>

static int count;

/* The shape, and what is saved, are those of the first time; `n` is the present one, and so is `sum`. */
static int shape(int n, int reset)
{
    int sum = 0, twice = 2 * n;
#pragma omp taskgraph graph_reset(reset)
    for (int k = 0; k < n; k++) {
#pragma omp task depend(inout : sum) shared(sum) firstprivate(saved : k, twice)
        sum += 100 * n + 10 * twice + k;
    }
    return sum;
}

/* Tasks with what may stand in one; the name of the function stays. */
static const char *told;
static int forms(int from)
{
    int table[3] = {from, from + 1, from + 2}, total = 0, runs = 0;
    const int fixed = 7;
#pragma omp taskgraph graph_id(from % 2) if (from != 5)
    {
        int own = 1;
#pragma omp task default(shared) depend(out : table) firstprivate(own) private(count)
        {
            for (count = 0; count < 3; count++)
                table[count] += own + fixed;
            told = __func__;
        }
        own = 20;
        if (own > 2)
#pragma omp task shared(table, total) depend(inout : table) priority(2) untied
            for (int k = 0; k < 3; k++)
                total += table[k] * own;
#pragma omp taskwait
#pragma omp task replayable(0) shared(runs)
        runs++;
#pragma omp task shared(total) depend(inout : table) firstprivate(fixed)
        {
#pragma omp atomic
            total += fixed;
        }
    }
    return total + (strcmp(told, "forms") != 0) + 100000 * runs;
}

/* Recursion: a task meets its own graph, with variables of its own. */
static int deep(int depth)
{
    int here = depth;
#pragma omp taskgraph
    {
#pragma omp task shared(here) firstprivate(depth)
        here += depth > 0 ? deep(depth - 1) : 1;
    }
    return here;
}

static int on_the_device(int times, int *data)
{
    int scale = times, local[4] = {1, 2, 3, 4};
#pragma omp taskgraph
    for (int k = 0; k < 4; k++) {
#pragma omp target nowait map(tofrom : data[k:1], local) depend(inout : local) firstprivate(saved : k)
        {
            data[k] += scale * local[k];
            local[3 - k] += 1;
        }
#pragma omp target nowait map(tofrom : data[k:1]) depend(inout : local) replayable(0)
        data[k] += 1000;
    }
    return local[0] + local[1] + local[2] + local[3];
}

/* In serial code host tasks run in the order of the program, also those that wait for nothing. */
static void in_turn(char *text)
{
    int a = 0;
#pragma omp taskgraph
    {
#pragma omp task depend(out : a)
        strcat(text, "a");
#pragma omp task depend(in : a)
        strcat(text, "b");
#pragma omp task
        strcat(text, "c");
    }
}

int main(void)
{
    static const int calls[][2] = {{2, 0}, {3, 0}, {3, 1}, {1, 0}};
    for (int k = 0; k < 4; k++)
        printf("shape %d\n", shape(calls[k][0], calls[k][1]));
    for (int from = 1; from <= 5; from++)
        printf("forms %d\n", forms(from));
    for (int k = 0; k < 2; k++) {
        char text[4] = "";
        in_turn(text);
        printf("in turn %s\n", text);
    }
    for (int k = 0; k < 2; k++)
        printf("deep %d\n", deep(3));
    for (int times = 1; times <= 3; times++) {
        int room[12] = {0}, *data = &room[4 * (times - 1)];
        int sum = on_the_device(times, data);
        printf("device %d: %d %d %d %d\n", sum, data[0], data[1], data[2], data[3]);
    }
    return 0;
}
