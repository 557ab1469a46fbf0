/* Uses each device, says so, and ends when its standard input does; with a word: when it has used the last one again, and
   the first one by another region and again. */
#include <omp.h>
#include <stdio.h>

static void use(int d)
{
    int value = 1;
    #pragma omp target device(d) map(tofrom: value)
    {
        for (volatile long i = 0; i < 30000000; i++) continue;
        value++;
    }
    if (value != 2) puts("wrong");
}

int main(int argc, char **argv)
{
    (void)argv;
    int count = omp_get_num_devices(), there = 1;
    for (int d = 0; d < count; d++) use(d);
    puts("used");
    fflush(stdout);
    while (getchar() != EOF) continue;
    if (argc > 1) {
        use(count - 1);
        #pragma omp target device(0) map(tofrom: there)
        there = !omp_is_initial_device();
        printf("again, %s\n", there ? "there" : "here");
        fflush(stdout);
        use(0);
    }
    return 3;
}
