"""Random programs whose loops on the host hold target regions over pointers and arrays, for refactorings of their data.

Every pointer is exactly as long as the loops need, and neighbours of others in one block of memory or not, so that a
section that is too long overlaps another one.
"""

from __future__ import annotations

import random

SIZES = {"p": "n", "q": "n", "r": "n * m", "s": "n + 2"}
HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#define N 24
static double total(int count, const double *v) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += v[i] * (i % 5 + 1);
    return sum;
}
"""


class Program:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.explicit = self.r.random() < 0.5
        self.pooled = self.r.random() < 0.4

    def text(self) -> str:
        r = self.r
        n, m, steps = r.choice((1, 2, 3, 9, 20)), r.choice((1, 2, 4)), r.choice((1, 2, 5))
        lines = [f"int n = {n}, m = {m}, steps = {steps};", "double a[N], b[N][N], sum = 0;"]
        if self.pooled:
            lines.append("double *pool = malloc((n + n + n * m + n + 2) * sizeof *pool);")
            at = "pool"
            for name, size in SIZES.items():
                lines.append(f"double *{name} = {at};")
                at += f" + {size}"
        else:
            lines += [f"double *{name} = malloc(({size}) * sizeof *{name});" for name, size in SIZES.items()]
        lines += [f"for (int i = 0; i < {size}; i++) {name}[i] = i % 7;" for name, size in SIZES.items()]
        lines.append("for (int i = 0; i < N; i++) { a[i] = i % 3; for (int j = 0; j < N; j++) b[i][j] = i - j; }")
        for _ in range(r.randrange(1, 4)):
            lines += self.loop() if r.random() < 0.7 else self.region("3")
        lines += [f'printf("%g\\n", total({size}, {name}));' for name, size in SIZES.items()]
        lines.append('printf("%g %g %g\\n", total(N, a), total(N * N, &b[0][0]), sum);')
        body = "\n".join("    " + line if not line.startswith("#") else line for line in lines)
        return f"{HEAD}int main(void) {{\n{body}\n    return 0;\n}}\n"

    def loop(self) -> list[str]:
        """A loop of the host with regions and statements of the host in it."""
        parts: list[str] = []
        for _ in range(self.r.randrange(2, 5)):
            parts += self.region("t") if self.r.random() < 0.55 else self.host()
        return ["for (int t = 0; t < steps; t++) {", *parts, "}"]

    def host(self) -> list[str]:
        r = self.r
        name = r.choice(list(SIZES))
        return r.choice(
            (
                [f'printf("%g\\n", total({SIZES[name]}, {name}));'],
                [f"{name}[0] += t;"],
                ["if (t % 2) {", f"    {name}[0] = 2;", "}"],
                [f"for (int i = 0; i < n; i++) {name}[i] *= 0.5;"],
                ["a[t] += 1;", "if (sum > 1e6) break;"],
                [f"if ({name}[0] > 3)", "    sum += a[3];"],
                ["sum += t;"],
            )
        )

    # --- regions

    def region(self, time: str) -> list[str]:
        header, body = self.rows(time) if self.r.random() < 0.3 else self.row(time)
        league = self.r.choice(("target", "target teams distribute parallel for", "target parallel for"))
        text = f"#pragma omp {league}"
        if self.explicit:
            text += " " + " ".join(f"map({self.r.choice(('tofrom: ', ''))}{n}[0:{s}])" for n, s in SIZES.items())
        return [text, header, *body]

    def row(self, time: str) -> tuple[str, list[str]]:
        """`for (i) out[i + c] = in[i + d]…`, in bounds."""
        r = self.r
        out, shift = r.choice(("p", "q", "s", "a")), r.choice((0, 0, 1))
        reads = [(x, r.choice((0, 0, -1, 1))) for x in r.sample(("p", "q", "s", "a", "r"), 2) if x != out]
        guarded = r.random() < 0.3
        low = max(0, *(-d for _, d in reads), 0) if not guarded else 0
        high = max(shift if out != "s" else 0, *(d if x != "s" else 0 for x, d in reads), 0)
        limit = "N" if out == "a" and all(x == "a" for x, _ in reads) else "n"
        value = " + ".join([f"{x}[{index(d)}]" for x, d in reads] + [time])
        operator = r.choice(("=", "+="))
        body = f"{out}[{index(shift)}] {operator} 0.5 * ({value});"
        if guarded:
            least = max(0, *(-d for _, d in reads), 0)
            body = f"if (i >= {least} && i < {limit} - {high}) {body}"
            high = 0
        elif r.random() < 0.2:
            body = f"if (a[i] > 1) {body}"
        bound = limit if high == 0 else f"{limit} - {high}"
        return f"for (int i = {low}; i < {bound}; i++)", [f"    {body}"]

    def rows(self, time: str) -> tuple[str, list[str]]:
        r = self.r
        out = r.choice(("r[i * m + j]", "b[i][j]"))
        value = r.choice((f"p[i] + {time}", "r[i * m + j] * 2", "b[i][j] - 1", "q[i] * s[j % 2]"))
        return "for (int i = 0; i < n; i++)", ["    for (int j = 0; j < m; j++)",
                                               f"        {out} {r.choice(('=', '+='))} {value};"]  # fmt: skip


def index(shift: int) -> str:
    return "i" if not shift else f"i {'+' if shift > 0 else '-'} {abs(shift)}"
