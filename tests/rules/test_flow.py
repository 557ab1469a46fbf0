"""Control flow: paths on which a scalar's lost value is read, or a pointer's storage is mapped."""

from __future__ import annotations

from drawing import findings
from together import together

LOSE = "{\n#pragma omp target map(tofrom: x[0:1])\nv = x[0];\n}"
LOST = [
    # (body, whether the lost value may be read)
    (f"{LOSE} return v;", True),
    (f"{LOSE} v = 1; return v;", False),
    (f"{LOSE} if (n) v = 1; return v;", True),
    (f"{LOSE} if (n) v = 1; else v = 2; return v;", False),
    (f"{LOSE} if (n) return v; return 0;", True),
    (f"{LOSE} if (0) return v; return 0;", False),
    (f"while (n--) {{ n += v; {LOSE} }} return 0;", True),
    (f"while (n--) {{ v = 0; n += v; {LOSE} }} return 0;", False),
    (f"do {{ n += v; {LOSE} }} while (n); return 0;", True),
    (f"do {{ n += v; {LOSE} }} while (0); return 0;", False),
    (f"for (;;) {{ {LOSE} if (n) break; v = 1; }} return v;", True),
    (f"for (;;) {{ {LOSE} v = 1; if (n) break; }} return v;", False),
    (f"for (int i = 0; i < n; i++) {{ {LOSE} if (i) continue; v = 1; }} return v;", True),
    (f"switch (n) {{ case 1: {LOSE} break; default: v = 1; }} return v;", True),
    (f"switch (n) {{ case 1: {LOSE} default: v = 1; }} return v;", False),
    (f"switch (n) {{ case 1: {LOSE} case 2: return v; }} return 0;", True),
    (f"{LOSE} goto out; v = 1; out: return v;", True),
    (f"{LOSE} v = 1; goto out; out: return v;", False),
    (f"again: n += v; {LOSE} if (n) goto again; return 0;", True),
    (f"{LOSE} exit(1); return v;", False),
    (f"{LOSE} scan(&v); return v;", False),
    (f"{LOSE} return sizeof(v);", False),
    (f"{LOSE}\n#pragma omp parallel private(v)\n{{ v = 1; n = v; }}\nreturn 0;", False),
    (f"{LOSE}\n#pragma omp parallel firstprivate(v)\nn = v;\nreturn 0;", True),
    (f"{LOSE}\n#pragma omp target map(from: v)\nv = 2;\nreturn v;", False),
    (f"{LOSE} {{ int v = 3; n = v; }} return 0;", False),
    (f"n = n ? v : 1; {LOSE} return n;", False),
]


@together(("body", "reported"), LOST, ids=[b.replace(LOSE, "LOSE") for b, _ in LOST])
def test_lost_values(body: str, reported: bool) -> None:
    text = f"void exit(int); void scan(int *);\nint f(int n, int *x) {{ int v = 0; {body} }}\n"
    assert [d.rule for d in findings(text, "firstprivate-result-lost")] == ["firstprivate-result-lost"] * reported


USE = "{\n#pragma omp target\nx[0] = 1;\n}"
ENTER = "{\n#pragma omp target enter data map(to: x[0:n])\n}"
EXIT = "{\n#pragma omp target exit data map(from: x[0:n])\n}"
DELETE = "{\n#pragma omp target exit data map(delete: x[0:n])\n}"
STORAGE = [
    (f"{USE}", "warning"),
    (f"{ENTER} {USE}", ""),
    (f"{ENTER} {EXIT} {USE}", "warning"),
    (f"{ENTER} {ENTER} {EXIT} {USE}", ""),
    (f"{ENTER} {ENTER} {DELETE} {USE}", "warning"),
    (f"if (other) {ENTER} {USE}", "hint"),
    (f"if (other) {ENTER} else {ENTER} {USE}", ""),
    (f"if (n > 0) {ENTER} {USE}", ""),
    (f"if (n > 500) {ENTER} {USE}", "warning"),
    (f"if (n > 500) {ENTER} if (n > 500) {USE}", ""),
    (f"if (n > 500) {ENTER} if (*y > 500) {USE}", "hint"),
    # a condition that comes later may say more, or the contrary
    (f"if (n > 500) {ENTER} if (n > 600) {USE}", ""),
    (f"if (n > 500) {ENTER} if (!(500 >= n)) {USE}", ""),
    (f"if (n > 500) {ENTER} if (n < 400) {USE}", "warning"),
    (f"if (n == 5) {ENTER} if (n != 5) return; {USE}", ""),
    (f"if (n <= 500) return; {ENTER} {USE}", ""),
    (f"if (n <= 500) other = x; else {ENTER} if (other) return; {USE}", "hint"),
    (f"\n#pragma omp target data map(x[0:n]) if(n > 500)\n{USE}", "warning"),
    (f"\n#pragma omp target data map(x[0:n]) if(n > 500)\n{USE.replace('target', 'target if(n > 500)')}", ""),
    (f"for (int i = 0; i < n; i++) {ENTER} {USE}", ""),
    (f"do {ENTER} while (n--); {USE}", ""),
    (f"if (!other) goto skip; {ENTER} skip: {USE}", "hint"),
    (f"unknown(x); {USE}", "hint"),
    (f"printf(\"%p\", x); {USE}", "warning"),
    (f"other = x; unknown(0); {USE}", "hint"),
    (f"unknown(0); {USE}", "warning"),
    (f"{ENTER} x = malloc(n); {USE}", "warning"),
    (f"x = y; {USE}", "hint"),
    (f"double *z = x; {USE.replace('x[', 'z[')}", "warning"),
    (f"double a[4]; x = a; \n#pragma omp target data map(a)\n{USE}", ""),
    (f"\n#pragma omp target data map(x[0:n]) if(other != 0)\n{USE}", "hint"),
    (f"\n#pragma omp target data map(x[0:n])\n{USE}\n{USE.replace('{', '').replace('}', '')}", "warning"),
    (USE.replace("target", "target if(other != 0)"), "hint"),
    (USE.replace("target", "target device(n)"), "warning"),
    (USE.replace("target", "target device(0)"), "warning"),
    (f"x = other ? malloc(n) : malloc(2 * n); {USE}", "warning"),
    (f"posix_memalign(&x, 8, n); {USE}", "warning"),
]  # fmt: skip


@together(("body", "severity"), STORAGE, ids=[b.replace("\n", " ")[:70] for b, _ in STORAGE])
def test_storage(body: str, severity: str) -> None:
    text = (
        "void *malloc(unsigned long); int posix_memalign(double **, unsigned long, unsigned long);\n"
        "void unknown(double *); int printf(const char *, ...); double *other;\n"
        f"void f(int n, double *y) {{ double *x = malloc(n * sizeof(double)); {body} }}\n"
    )
    assert [d.severity for d in findings(text, "device-pointer-absent")] == [severity] * bool(severity)
