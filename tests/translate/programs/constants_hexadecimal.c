/* Hexadecimal floating constants, which C++ has from 17 on only: rounded to what the type has. */
#include <stdio.h>

#define VALUES(x) \
    x[0] = 0x1.8p3, x[1] = 0X.8P-2 + 1, x[2] = 0x1.fffffffffffffp+1023, x[3] = 0x1p-1074, x[4] = 1 - 0xAp1; \
    x[5] = 0x1.000001p0f, x[6] = 0x1.0000018p0f, x[7] = 0x1.fffffep127F, x[8] = 0x1p-149f - 0x1p-140f, x[9] = 0xe + 0x1e

int main(void)
{
    double there[10], here[10];
    int wrong = 0;
    VALUES(here);
    #pragma omp target map(from: there)
    {
        VALUES(there);
    }
    for (int i = 0; i < 10; i++)
        if (there[i] != here[i]) wrong++, printf("%d: %a %a\n", i, there[i], here[i]);
    return wrong;
}
