/* Reductions over structures of any size: the values travel through shuffles, words and memory whole. */
#include <stdio.h>

static int failures;

static void check(const unsigned char *at, int size)
{
    for (int k = 0; k < size; k++)
        if (at[k] != 198) {
            printf("%d bytes: byte %d is %d, not 198\n", size, k, at[k]);
            failures++;
        }
}

#pragma omp declare target
static void join(unsigned char *to, const unsigned char *from, int size)
{
    for (int k = 0; k < size; k++)
        if (from[k] > to[k])
            to[k] = from[k];
}

static void look(unsigned char *at, int i, int size)
{
    for (int k = 0; k < size; k++) {
        unsigned char value = (unsigned char)((i * 7 + k * 31) % 199);
        if (value > at[k])
            at[k] = value;
    }
}
#pragma omp end declare target

#define STRING(x) #x
#define OMP(...) _Pragma(STRING(omp __VA_ARGS__))
#define SIZE(n)                                                                                                         \
    typedef struct {                                                                                                    \
        unsigned char at[n];                                                                                            \
    } bytes##n;                                                                                                         \
    OMP(declare reduction(most : bytes##n : join(omp_out.at, omp_in.at, n)) initializer(omp_priv = {{0}}))              \
    static void of_##n(int count)                                                                                       \
    {                                                                                                                   \
        bytes##n most = {{0}}, each[3] = {{{0}}};                                                                       \
        OMP(target teams distribute parallel for num_teams(2) num_threads(67) reduction(most : most))                   \
        for (int i = 0; i < count; i++)                                                                                 \
            look(most.at, i, n);                                                                                        \
        check(most.at, n);                                                                                              \
        OMP(target teams distribute parallel for num_teams(2) num_threads(67) reduction(most : each))                   \
        for (int i = 0; i < count; i++)                                                                                 \
            look(each[i % 3].at, i, n);                                                                                 \
        for (int k = 0; k < 3; k++)                                                                                     \
            check(each[k].at, n);                                                                                       \
    }
SIZE(2)
SIZE(3)
SIZE(4)
SIZE(5)
SIZE(6)
SIZE(7)
SIZE(8)
SIZE(9)
SIZE(16)
SIZE(37)
SIZE(64)
SIZE(65)

int main(void)
{
    of_2(3000);
    of_3(3000);
    of_4(3000);
    of_5(3000);
    of_6(3000);
    of_7(3000);
    of_8(3000);
    of_9(3000);
    of_16(3000);
    of_37(3000);
    of_64(3000);
    of_65(3000);
    return failures != 0;
}
