/* A kernel that ends its process; with an argument in a thread of its team. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    (void)argv;
    #pragma omp target map(to: argc)
    {
        printf("in the kernel\n");
        if (argc == 1) exit(3);
        #pragma omp parallel for num_threads(2) schedule(static, 1)
        for (int i = 0; i < 2; i++)
            if (i == 1) exit(4);
    }
    printf("it ended\n");
    return 0;
}
