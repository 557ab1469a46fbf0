#include <stdio.h>
#include <stdlib.h>
static void count_columns(int rows, const int *ptr, const int *col, int *cnt)
{
    #pragma omp target teams distribute parallel for map(to: ptr[0:rows+1], col[0:ptr[rows]]) map(tofrom: cnt[0:rows]) // or-here
    for (int r = 0; r < rows; r++)
        for (int k = ptr[r]; k < ptr[r + 1]; k++) {
            #pragma omp atomic //@ good
            cnt[col[k]]++; // expect: race
        }
}
int main(void)
{
    int ptr[] = {0, 2, 3, 5}, col[] = {0, 1, 1, 0, 2}, cnt[3] = {0};
    count_columns(3, ptr, col, cnt);
    printf("%d\n", cnt[1]);
    return 0;
}
