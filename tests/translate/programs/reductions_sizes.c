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

typedef struct {
    unsigned char at[2];
} bytes2;
#pragma omp declare reduction(most : bytes2 : join(omp_out.at, omp_in.at, 2)) initializer(omp_priv = {{0}})

static void of_2(int n)
{
    bytes2 most = {{0}};
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) reduction(most : most)
    for (int i = 0; i < n; i++)
        look(most.at, i, 2);
    check(most.at, 2);
}

typedef struct {
    unsigned char at[3];
} bytes3;
#pragma omp declare reduction(most : bytes3 : join(omp_out.at, omp_in.at, 3)) initializer(omp_priv = {{0}})

static void of_3(int n)
{
    bytes3 most = {{0}};
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) reduction(most : most)
    for (int i = 0; i < n; i++)
        look(most.at, i, 3);
    check(most.at, 3);
}

typedef struct {
    unsigned char at[4];
} bytes4;
#pragma omp declare reduction(most : bytes4 : join(omp_out.at, omp_in.at, 4)) initializer(omp_priv = {{0}})

static void of_4(int n)
{
    bytes4 most = {{0}};
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) reduction(most : most)
    for (int i = 0; i < n; i++)
        look(most.at, i, 4);
    check(most.at, 4);
}

typedef struct {
    unsigned char at[5];
} bytes5;
#pragma omp declare reduction(most : bytes5 : join(omp_out.at, omp_in.at, 5)) initializer(omp_priv = {{0}})

static void of_5(int n)
{
    bytes5 most = {{0}};
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) reduction(most : most)
    for (int i = 0; i < n; i++)
        look(most.at, i, 5);
    check(most.at, 5);
}

typedef struct {
    unsigned char at[6];
} bytes6;
#pragma omp declare reduction(most : bytes6 : join(omp_out.at, omp_in.at, 6)) initializer(omp_priv = {{0}})

static void of_6(int n)
{
    bytes6 most = {{0}};
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) reduction(most : most)
    for (int i = 0; i < n; i++)
        look(most.at, i, 6);
    check(most.at, 6);
}

typedef struct {
    unsigned char at[7];
} bytes7;
#pragma omp declare reduction(most : bytes7 : join(omp_out.at, omp_in.at, 7)) initializer(omp_priv = {{0}})

static void of_7(int n)
{
    bytes7 most = {{0}};
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) reduction(most : most)
    for (int i = 0; i < n; i++)
        look(most.at, i, 7);
    check(most.at, 7);
}

typedef struct {
    unsigned char at[8];
} bytes8;
#pragma omp declare reduction(most : bytes8 : join(omp_out.at, omp_in.at, 8)) initializer(omp_priv = {{0}})

static void of_8(int n)
{
    bytes8 most = {{0}};
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) reduction(most : most)
    for (int i = 0; i < n; i++)
        look(most.at, i, 8);
    check(most.at, 8);
}

typedef struct {
    unsigned char at[9];
} bytes9;
#pragma omp declare reduction(most : bytes9 : join(omp_out.at, omp_in.at, 9)) initializer(omp_priv = {{0}})

static void of_9(int n)
{
    bytes9 most = {{0}};
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) reduction(most : most)
    for (int i = 0; i < n; i++)
        look(most.at, i, 9);
    check(most.at, 9);
}

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
    return failures != 0;
}
