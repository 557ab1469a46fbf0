static inline int in_header(int v) {
    int r = 0;
#pragma omp target map(tofrom: r)
    r = v * 2;
    return r;
}
