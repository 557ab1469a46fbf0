"""Generates the C file that `make bench` measures on: 2,000 lines, 500 target regions, four lines each.

python bench/generate.py [REGIONS [calls]] > big.c

With `calls`, the functions call each other and a main calls them: what one does matters to others.
"""

from __future__ import annotations

import sys

_HEAD = "#include <math.h>\n#include <stdio.h>\n"

# Four lines each; `{k}` numbers the function.  Clauses, types and loops differ so that no cache can serve them all.
_SHAPES = (
    """\
void scale_{k}(int n, float a, const float *x, float *y) {{
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i] + {k}.0f;
}}
""",
    """\
double sum_{k}(long n, const double *values) {{ double total = {k}.0;
    #pragma omp target teams distribute parallel for reduction(+: total) map(to: values[0:n]) map(tofrom: total)
    for (long i = 0; i < n; i++) total += sqrt(values[i]);
return total; }}
""",
    """\
void stencil_{k}(int n, double old[{m}][64], double new[{m}][64]) {{
    #pragma omp target teams distribute parallel for collapse(2) map(to: old[0:{m}]) map(tofrom: new[0:{m}])
    for (int i = 1; i < {m} - 1; i++) for (int j = 1; j < 63; j++) new[i][j] = 0.5 * (old[i-1][j] + old[i][j+1]) + n;
}}
""",
    """\
void count_{k}(unsigned n, const unsigned char *data, unsigned counts[{m}]) {{
    #pragma omp target teams distribute parallel for map(to: data[:n]) map(tofrom: counts[:{m}])
    for (unsigned i = 0; i < n; i++) {{ _Pragma("omp atomic update") counts[data[i] % {m}]++; }}
}}
""",
)

# Four functions and regions, 16 lines.
_CALLING = """\
static void smooth_{k}(int n, const float *x, float *y) {{
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (int i = 0; i < n; i++) y[i] = 0.5f * (x[i] + y[i]) + {k}.0f;
}}
static float total_{k}(int n, const float *y) {{ float total = {k}.0f;
    #pragma omp target teams distribute parallel for reduction(+: total) map(to: y[0:n]) map(tofrom: total)
    for (int i = 0; i < n; i++) total += y[i];
return total; }}
void on_device_{k}(int n, float *y) {{
    #pragma omp target teams distribute parallel for map(tofrom: y[0:n])
    for (int i = 0; i < n; i++) y[i] = y[i] * {m}.0f; }}
float run_{k}(int n, const float *x, float *y) {{ smooth_{k}(n, x, y); smooth_{b}(n, x, y);
    #pragma omp target teams distribute parallel for map(to: x[0:n]) map(tofrom: y[0:n])
    for (int i = 0; i < n; i++) y[i] += x[i];
    on_device_{k}(n, y);
return total_{k}(n, y); }}
"""
_MAIN = """\
int main(void) {{ int n = 64; float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), sum = 0.0f;
    for (int i = 0; i < n; i++) {{ x[i] = i; y[i] = 2.0f; }}
{calls}
    printf("%f\\n", sum); free(x); free(y);
return 0; }}
"""


def source(regions: int = 500, calls: bool = False) -> str:
    """A valid, warning-free C file with that many target regions, four lines each."""
    if calls:
        numbers = range(regions // 4)
        parts = [_CALLING.format(k=k, b=max(0, k - 1), m=8 + k % 56) for k in numbers]
        main = _MAIN.format(calls="\n".join(f"    sum += run_{k}(n, x, y);" for k in numbers[::4]))
        return _HEAD + "#include <stdlib.h>\n" + "".join(parts) + main
    shapes = [_SHAPES[k % len(_SHAPES)].format(k=k, m=8 + k % 56) for k in range(regions)]
    return _HEAD + "".join(shapes)


if __name__ == "__main__":
    sys.stdout.write(source(int(sys.argv[1]) if len(sys.argv) > 1 else 500, "calls" in sys.argv))
