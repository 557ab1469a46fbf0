/* A header with a region in it. */
#ifndef REGION_H
#define REGION_H
#define DOUBLED(x) (2 * (x))
static int from_header(int n)
{
    int result = 0;
#pragma omp target map(from : result)
    result = DOUBLED(n);
    return result;
}
#endif
