// A thread waits for input while a kernel prints.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int asks;

static void *ask(void *line)
{
    asks = 1;
    return fgets(line, 100, stdin);
}

int main(void)
{
    char line[100] = "";
    int done = 0;
    pthread_t asking;
    pthread_create(&asking, NULL, ask, line);
    while (!asks) usleep(1000);
    usleep(100000);
#pragma omp target map(tofrom: done)
    {
        printf("printed\n");
        done = 1;
    }
    pthread_join(asking, NULL);
    printf("%s", line);
    return !done;
}
