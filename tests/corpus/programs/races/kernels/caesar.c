#include <stdio.h>
#include <string.h>
void reverse(char *s, int n)
{
    #pragma omp target teams distribute parallel for map(tofrom: s[0:n]) // or-here
    for (int i = 0; i < n / 2; i++) { //@ good
    for (int i = 0; i < n; i++) { //@ bad
        char c = s[i]; // or-here
        s[i] = s[n - 1 - i]; // or-here
        s[n - 1 - i] = c; // expect: race
    }
}
int main(void)
{
    char s[] = "abcdefgh";
    reverse(s, 8);
    puts(s);
    return 0;
}
