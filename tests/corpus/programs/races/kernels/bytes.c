#include <ctype.h>
#include <stdio.h>
#include <string.h>
static char text[] = "the quick brown fox jumps over the lazy dog";
static char out[sizeof text];
int main(void)
{
    int n = (int)strlen(text), words = 0, pos = 0;
    #pragma omp parallel for reduction(+: words) //@ good bad
    #pragma omp parallel for //@ bad2 // or-here
    for (int i = 0; i < n; i++) {
        if (text[i] != ' ' && (i == 0 || text[i - 1] == ' '))
            words++; // expect: race [bad2]
        out[i] = (char)toupper(text[i]); //@ good bad2
        if (text[i] != ' ') //@ bad
            out[pos++] = (char)toupper(text[i]); //@ bad // expect: race [bad]
    }
    printf("%d %d %s\n", words, pos, out);
    return 0;
}
