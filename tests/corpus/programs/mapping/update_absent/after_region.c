// The update stands one line after the data region.
#include <stdio.h>
#include <string.h>

#define LINE 80

int main(void)
{
    char text[LINE] = "offload";
#pragma omp target data map(to: text)
    {
#pragma omp target map(to: text)
        for (int i = 0; i < LINE; i++)
            if (text[i] >= 'a' && text[i] <= 'z')
                text[i] = (char)(text[i] - 'a' + 'A'); // or-here
#pragma omp target update from(text) //@ good
    }
#pragma omp target update from(text) //@ bad // expect: mapping
    printf("%s\n", text); // or-here
    return strcmp(text, "OFFLOAD") != 0; // or-here
}
