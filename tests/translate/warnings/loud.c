/* True warnings and errors, in pragmas and around them. */
void loud(double *a, long n, unsigned u);
void loud(double *a, long n, unsigned u)
{
    int i;
    #pragma omp target teams distribute parallel for map(tofrom: a[0 : n]) private(n) \
	    map(to: u) lastprivate(i) reduction(+: a)
    for (i = 0; i < (int)n; i++) {
        unsigned unused = 3;
        int sign = u;
        a[i] += sign;
    } int behind = n;
    /* é */ a[0] = behind;
    #pragma omp target data map(tofrom: a[0 : n])
    #pragma omp target map(tofrom: a[0 : n])
    a[0] = u + behind;
}
