// Output through `from`, inputs through `to`, in functions that know nothing of their callers.
void vec_set(int n, int value, int *restrict out)
{
#pragma omp target teams distribute parallel for map(from: out[0:n])
    for (int i = 0; i < n; i++)
        out[i] = value;
}

int vec_min(int n, const int *restrict v)
{
    int m = v[0];
#pragma omp target teams distribute parallel for map(to: v[0:n]) reduction(min: m)
    for (int i = 1; i < n; i++)
        if (v[i] < m)
            m = v[i];
    return m;
}

void vec_gather(int n, const int *restrict idx, const double *restrict src, int m, double *restrict dst)
{
#pragma omp target teams distribute parallel for map(to: idx[0:n], src[0:m]) map(from: dst[0:n])
    for (int i = 0; i < n; i++)
        dst[i] = src[idx[i]];
}
//@ run {
int main(void)
{
    int v[5], idx[2] = { 2, 0 };
    double s[3] = { 1, 2, 3 }, d[2];
    vec_set(5, 4, v);
    vec_gather(2, idx, s, 3, d);
    return vec_min(5, v) != 4 || d[0] != 3;
}
