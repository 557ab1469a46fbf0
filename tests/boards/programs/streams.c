/* What a program does with its streams, arguments and end: streams MODE. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;
static void stop(int number) { stopped = number; }

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    int sum = 0;
    if (strcmp(mode, "echo") == 0)
        for (int c; (c = getchar()) != EOF;) putchar(c);
    for (int i = 2; i < argc; i++) printf("<%s>\n", argv[i]);
    if (strcmp(mode, "save") == 0) { // Ctrl-C is the end of its work, not its own
        signal(SIGINT, stop);
        printf("working\n");
        fflush(stdout);
        while (!stopped) usleep(1000);
        usleep(500000);
        return printf("saved\n") > 0 && fflush(stdout) == 0 ? 42 : 1;
    }
    if (strcmp(mode, "wait") == 0) {
        printf("waiting\n");
        fflush(stdout);
        sleep(60);
    }
    if (strcmp(mode, "spin") == 0) {
        printf("spinning\n");
        fflush(stdout);
#pragma omp target map(tofrom : sum)
        for (volatile int go = 1; go;) sum++;
    }
    if (strcmp(mode, "copy") == 0) {
        size_t many = 32 << 20;
        char *data = calloc(many, 1);
#pragma omp target enter data map(to : data[0 : many])
        printf("copying\n");
        fflush(stdout);
        for (volatile int go = 1; go;) {
#pragma omp target update to(data[0 : many])
        }
    }
    if (strcmp(mode, "crash") == 0) raise(SIGSEGV);
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++) sum += i;
    printf("%d\n", sum);
    fprintf(stderr, "an error's text\n");
    return strcmp(mode, "lost") == 0 ? 255 : 7;
}
