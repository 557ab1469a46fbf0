"""Random loops whose order or shape matters: non-rectangular nests, ordered regions, conditional last values."""

from __future__ import annotations

from abc import abstractmethod

from random_expressions import Scope
from random_statements import Statements

SCHEDULES = ("static", "static, 2", "static, 7", "dynamic", "dynamic, 5", "guided", "guided, 4", "static, scale",
             "nonmonotonic: dynamic, 2", "monotonic: guided", "runtime", "auto")  # fmt: skip
_LEAGUES = ("target teams distribute parallel for", "target parallel for", "target teams distribute",
            "target\n#pragma omp parallel for", "target teams\n#pragma omp distribute parallel for",
            "target teams distribute parallel for simd")  # fmt: skip


class Loops(Statements):
    """What is appended to a function's checksum is `out`, `s` and `x`; see `Program` for `function`."""

    @abstractmethod
    def function(self, name: str, before: list[str], region: str, after: list[str]) -> str: ...

    def _bound(self, counter: str) -> tuple[str, int]:
        """A linear function of a counter, and its factor."""
        factor, rest = self.r.choice((-2, -1, 0, 0, 1, 1, 2, 3)), self.r.randrange(-4, 12)
        forms = [f"{factor} * {counter} + {rest}", f"{rest} + {counter} * {factor}"]
        forms += [f"{counter} + {rest}", f"({counter}) - ({-rest})"] if factor == 1 else []
        return (f"{rest}" if factor == 0 else self.r.choice(forms)), factor

    def _row(self, kind: str, counter: str, outer: str, outer_step: int) -> str:
        """The header of a loop whose bounds depend on `outer`."""
        (low, a), (high, b) = self._bound(outer), self._bound(outer)
        steps = [s for s in (1, 1, 2, 3) if (b - a) * outer_step % s == 0]  # else the nest is not conforming
        step = self.r.choice(steps)
        if self.r.random() < 0.3:
            return f"for ({kind} {counter} = {high}; {counter} {self.r.choice(('>', '>='))} {low}; {counter} -= {step})"
        return f"for ({kind} {counter} = {low}; {counter} {self.r.choice(('<', '<='))} {high}; {counter} += {step})"

    def triangle(self, name: str) -> str:
        """A nest of two or three loops, the inner ones over what an outer counter says."""
        kind, i, j, k = self.r.choice(("int", "int", "long")), *(self.fresh("i") for _ in range(3))
        step, first, last = self.r.choice((1, 1, 2, 3)), self.r.randrange(-3, 5), self.r.randrange(0, 14)
        headers = [f"for ({kind} {i} = {first}; {i} < {last}; {i} += {step})"]
        if self.r.random() < 0.3:
            headers = [f"for ({kind} {i} = {last}; {i} >= {first}; {i} -= {step})"]
        headers.append(self._row(kind, j, i, step))
        counters = [i, j]
        if self.r.random() < 0.3:
            headers.append(self._row(kind, k, i, step))
            counters.append(k)
        index = " + ".join(f"{c} * {f}" for c, f in zip(counters, (1, 5, 13), strict=False))
        first_line, *rest = self.r.choice(_LEAGUES).split("\n")
        clauses = f" collapse({len(counters)}) reduction(+: s)" + self.r.choice(("", " lastprivate(x)"))
        directive = f"#pragma omp {first_line} map(tofrom: out, s, x)" + "".join(f"\n{x}" for x in rest) + clauses
        body = (
            f"unsigned cell = (unsigned)({index}) % N;\n#pragma omp atomic\nout[cell] += {index} + 3;\ns += {index};\n"
        )
        if "lastprivate" in clauses:
            body += f"x = {index} + 100;\n"
        lines = "\n".join(headers)
        return self.function(
            name, ["long s = 1;", "int x = 5;"], f"{directive}\n{lines}\n{{\n{body}}}", ["s", "s == 1 ? 0 : x"]
        )  # without iterations a lastprivate value is not specified

    def transformed(self, name: str) -> str:
        """Loops under loop transformations, which gcc 12 knows nothing of: in whatever order, each iteration once."""
        depth, size = self.r.choice((1, 2, 2, 3)), lambda: self.r.choice((1, 2, 3, 4, 7, 100))
        counters = [self.fresh("i") for _ in range(depth)]
        headers = []
        for c in counters:
            first, count, step = self.r.randrange(-4, 6), self.r.choice((0, 1, 4, 5, 6, 8)), self.r.choice((1, 1, 2, 3))
            kind = "unsigned" if first >= 0 and self.r.random() < 0.3 else self.r.choice(("int", "int", "long"))
            last = self.r.choice((f"{first + count * step}", f"{first + count * step - 5} + five"))
            up = f"for ({kind} {c} = {first}; {c} < {last}; {c} += {step})"
            down = f"for ({kind} {c} = {last}; {c} > {first}; {c} -= {step})"
            headers.append(self.r.choice((up, up, down)))
        several = ["interchange"] if depth > 1 else []
        forms = [
            f"tile sizes({', '.join(str(size()) for _ in counters)})",
            f"stripe sizes({', '.join(str(size()) for _ in counters)})",
            *several, "reverse", f"unroll partial({size()})", f"reverse\n#pragma omp tile sizes({size()})",
        ]  # fmt: skip
        form = self.r.choice(forms)
        generated = 2 * depth if form.startswith(("tile", "stripe")) else depth if form == "interchange" else 1
        collapse = self.r.randrange(1, min(generated, depth, 2) + 1)
        first_line, *rest = self.r.choice(_LEAGUES).split("\n")
        lines = [f"#pragma omp {first_line} map(tofrom: out, s)", *rest]
        lines[-1] += f" reduction(+: s) collapse({collapse})"
        index = " + ".join(f"{c} * {f}" for c, f in zip(counters, (1, 5, 13), strict=False))
        body = (
            f"unsigned cell = (unsigned)({index}) % N;\n#pragma omp atomic\nout[cell] += {index} + 3;\ns += {index};\n"
        )
        region = "\n".join([*lines, f"#pragma omp {form}", *headers, f"{{\n{body}}}"])
        return self.function(name, ["long s = 1;", "int five = 5;"], region, ["s"])

    def in_order(self, name: str) -> str:
        """Ordered regions, and the latest of some assignments."""
        i, inside, threads = self.fresh("i"), Scope(), self.r.choice((1, 3, 33, 40))
        inside.names[i] = "int"
        inside.fixed.add(i)
        count, low = self.r.randrange(0, 40), self.r.randrange(-5, 5)
        header = f"for (int {i} = {low}; {i} < {low + count}; {i} += {self.r.choice((1, 1, 2))})"
        schedule = self.r.choice(SCHEDULES).split(": ")[-1]
        value, when = self.expr(inside, 2), self.expr(inside, 1)
        ordered = (
            f"#pragma omp for ordered schedule({schedule})\n{header} {{\nunsigned v = {value};\n"
            f"#pragma omp ordered\n{{ s = s * 31 + v + (unsigned){i}; }}\n}}"
        )
        latest = (
            f"#pragma omp for schedule({self.r.choice(SCHEDULES)}) lastprivate(conditional: x)\n"
            f"{header} {{\nif (({when}) & 1) x = {i};\nout[{i} + 5] += {i};\n}}"
        )
        scan = (
            f"#pragma omp for reduction(inscan, +: t)\n{header} {{\nt += {i};\n#pragma omp scan inclusive(t)\n"
            f"out[{i} + 6] ^= t;\n}}"
        )
        parts = [ordered, latest, scan]
        self.r.shuffle(parts)
        body = "\n".join(parts)
        region = (
            f"#pragma omp target map(tofrom: out, s, x, t)\n#pragma omp parallel num_threads({threads})\n{{\n{body}\n}}"
        )
        return self.function(name, ["unsigned s = 7;", "int x = -99, t = 3;"], region, ["s", "x", "t"])
