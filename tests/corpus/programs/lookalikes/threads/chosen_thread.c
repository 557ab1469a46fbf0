// One thread does it: a helper, a member, a variable of the thread or a table says which one.
#include <stdio.h>
#include <omp.h>

typedef struct { int number; } self;

static int my_number(void) { return omp_get_thread_num(); }
static int is_first(void) { return omp_get_thread_num() == 0; }
static void describe(int *number) { *number = omp_get_thread_num(); }

static int mine;
#pragma omp threadprivate(mine)

int main(void)
{
    int a[100], leads[256] = {1}, kept[100], steps = 0, n = 100;
    for (int i = 0; i < n; i++)
        a[i] = i;
#pragma omp parallel
    {
        self s;
        s.number = omp_get_thread_num();
        int me = my_number(), told, first = me == 0;
        describe(&told);
        mine = me;
        if (me == 0) {
            int last = 0;
            for (int i = 0; i < n; i++)
                kept[last++] = a[i];
            for (int i = 0; i < n; i++)
                steps++;
        }
#pragma omp barrier
        if (is_first())
            steps++;
#pragma omp barrier
        if (s.number == 0)
            steps++;
#pragma omp barrier
        if (mine == 0)
            steps++;
#pragma omp barrier
        if (told == 0)
            steps++;
#pragma omp barrier
        if (leads[me])
            steps++;
#pragma omp barrier
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++)
            if (first && i < 0)
                steps++;
    }
    printf("%d %d\n", steps, kept[n - 1]);
    return steps != 105 || kept[n - 1] != 99;
}
