// strncpy stops at the end of the string, however much it may write.
#include <stdio.h>
#include <string.h>

#pragma omp declare target
static int length(const char *text)
{
    char copy[64];
    strncpy(copy, text, sizeof copy - 1);
    copy[63] = 0;
    return (int)strlen(copy);
}
#pragma omp end declare target

int main(void)
{
    const char text[] = "one two three";
    int n = 0;
#pragma omp target map(tofrom: n) map(to: text)
    n = length(text);
    return n != 13;
}
