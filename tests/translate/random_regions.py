"""Random functions with target regions, each printing a checksum of everything that it can see change."""

from __future__ import annotations

from random_expressions import INTEGERS, PRELUDE, UNSIGNED, Scope
from random_loops import SCHEDULES, Loops

LEAGUES = (
    "target teams distribute parallel for", "target teams distribute parallel for", "target parallel for",
    "target teams distribute parallel for simd", "target teams distribute", "target simd", "target teams loop",
    "target parallel for simd", "target\n#pragma omp teams distribute parallel for", "target teams distribute simd",
    "target\n#pragma omp parallel for", "target parallel loop", "target teams\n#pragma omp distribute parallel for",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "&", "|", "^", "&&", "||", "max", "min")


class Program(Loops):
    """`text(n)` is a program with n random regions, each in a function of its own."""

    def text(self, regions: int) -> str:
        kinds = [self.worksharing, self.worksharing, self.sequential, self.workers, self.data, self.atomics,
                 self.triangle, self.triangle, self.in_order, self.transformed]  # fmt: skip
        functions = [self.r.choice(kinds)(f"r{k}") for k in range(regions)]
        calls = "".join(f"    r{k}();\n" for k in range(regions))
        return PRELUDE + "\n".join(functions) + f"\nint main(void)\n{{\n{calls}    return 0;\n}}\n"

    def function(self, name: str, before: list[str], region: str, after: list[str]) -> str:
        """The function of a region: `after` are expressions that are part of the checksum."""
        lines = [
            f"static void {name}(void)",
            "{",
            "unsigned long long h = 1;",
            "unsigned out[N] = {0};",
            *before,
            region,
        ]
        lines += ["EVERY(z, N) h = mix(h, out[z]);", *(f"h = mix(h, (long long)({x}));" for x in after)]
        return "\n".join([*lines, f'printf("{name} %llx\\n", h);', "}"]) + "\n"

    def locals(self, scope: Scope, count: int) -> list[str]:
        return [self.declaration(scope) for _ in range(count)]

    # --- loops ----------------------------------------------------------------------------------------------------

    def header(self, counter: str, declared: bool) -> tuple[str, str]:
        """(the loop's header, its counter's type): a few iterations of any canonical form."""
        kind = self.r.choice(
            ("int", "int", "unsigned", "long", "unsigned char", "short", "unsigned long", "signed char")
        )
        step, times = self.r.choice((1, 1, 2, 3, 7)), self.r.choice((0, 1, 3, 5, 8))
        limits = {"int": (-(2**31), 2**31 - 1), "unsigned": (0, 2**32 - 1), "long": (-(2**40), 2**40)}
        low, high = limits.get(kind, (0, 60))
        first = self.r.choice((low, high - step * times, 0 if low <= 0 else low, 5))
        first = max(low + (times == 0), min(first, high - step * (times + 1)))  # gcc refuses `u < 0`
        last = first + step * times
        u = "u" if kind in UNSIGNED else "l" if abs(first) > 2**30 else ""
        t = "" if declared else f"{kind} "

        def number(v: int) -> str:
            return f"(-{-v - 1}{u} - 1)" if v < 0 else f"{v}{u}"

        forms = [
            f"for ({t}{counter} = {number(first)}; {counter} < {number(last)}; {counter} += {step})",
            f"for ({t}{counter} = {number(first)}; {number(last)} > {counter}; {counter} = {counter} + {step})",
        ]
        if times:
            forms += [
                f"for ({t}{counter} = {number(first)}; {counter} <= {number(last - 1)}; {counter} += {step})",
                f"for ({t}{counter} = {number(last)}; {counter} > {number(first)}; {counter} -= {step})",
                f"for ({t}{counter} = {number(last)}; {number(first + 1)} <= {counter}; {counter} -= {step})",
            ]
        if step == 1:
            forms.append(f"for ({t}{counter} = {number(first)}; {counter} != {number(last)}; {counter}++)")
        return self.r.choice(forms), kind

    def nest(self, scope: Scope, declared: list[str]) -> tuple[str, str, list[str]]:
        """(collapse clause, headers, counters)."""
        depth = self.r.choice((1, 1, 1, 2, 3))
        counters, headers = [], ""
        for _ in range(depth):
            c = self.fresh("i")
            outside = self.r.random() < 0.3
            header, kind = self.header(c, outside)
            if outside:
                declared.append(f"{kind} {c} = 77;")
            headers += header + "\n"
            counters.append(c)
            if kind != "int":  # whose values may be at its limits
                scope.names[c] = kind
            scope.fixed.add(c)
        return (f" collapse({depth})" if depth > 1 else ""), headers, counters

    def clauses(self, league: str) -> str:
        out, last = "", league.rsplit("\n", maxsplit=1)[-1].split()
        wanted = [("teams", f" num_teams({self.r.randrange(1, 6)})"),
                  ("teams", f" thread_limit({self.r.choice((1, 7, 32))})"),
                  ("parallel", f" num_threads({self.r.choice((1, 3, 33))})")]  # fmt: skip
        wanted += [("for", f" schedule({self.r.choice(SCHEDULES)})")]
        wanted += [("distribute", f" dist_schedule(static, {self.r.choice((1, 3, 100))})")]
        for construct, text in wanted:
            if construct in last and self.r.random() < 0.3:
                out += text
        return out

    def worksharing(self, name: str) -> str:
        scope = Scope()
        before = self.locals(scope, 3)
        outer = list(scope.names)
        league = self.r.choice(LEAGUES)
        clauses, after = self.clauses(league), list(outer)
        reductions: dict[str, tuple[str, str]] = {}
        for _ in range(self.r.randrange(3)):
            kind, op, s = self.r.choice((*INTEGERS, "double", "_Bool")), self.r.choice(OPERATORS), self.fresh("s")
            if (kind == "double" and op in "&|^") or (kind == "_Bool" and op not in ("&&", "||", "&", "|")):
                continue
            before.append(f"{kind} {s} = {self.r.choice((0, 1, 5))};")
            reductions[s] = (kind, op)
            clauses += f" reduction({op}: {s})"
            after.append(s)
        inner_map = "\n" in league
        mapped = [*reductions] if inner_map else []
        inside, start = Scope(dict(scope.names), set(outer), ""), list[str]()
        for v in outer:
            choice = self.r.randrange(5)
            if choice == 0:
                clauses += f" firstprivate({v})" if not inner_map else ""
                start += [f"{v} = cell & 7;"] if not inner_map else []  # a thread has one copy for all its iterations
            elif choice == 1 and not inner_map:
                clauses += f" private({v})"
                inside.names.pop(v)
        collapse, headers, counters = self.nest(inside, before)
        maps = " map(tofrom: out" + "".join(f", {m}" for m in mapped) + ")"
        index = " + ".join(f"(unsigned){c} * {k}u" for c, k in zip(counters, (1, 5, 13), strict=False))
        private = [n for n in inside.names if n not in counters]
        body = [f"unsigned cell = ({index}) % N;", f"unsigned long long value = {self.expr(inside)};"]
        body[1:1] = start
        inside.names["value"] = "unsigned long long"
        body += [self.statement(inside, jumps=False) for _ in range(2)] if private else []
        if "loop" not in league:  # `loop` regions hold no atomic
            body += [f"#pragma omp atomic\nout[cell] += {self.expr(inside)};"]
        body += [self._reduce(inside, s, *what) for s, what in reductions.items()]
        if self.r.random() < 0.3:
            body.insert(2, f"if ({self.expr(inside, 1)}) continue;")
        first, *rest = league.split("\n")
        directive = f"#pragma omp {first}{maps}" + "".join(f"\n{x}" for x in rest) + clauses + collapse
        inner_body = "\n".join(body)
        return self.function(name, before, f"{directive}\n{headers}{{\n{inner_body}\n}}", after)

    def _reduce(self, scope: Scope, s: str, kind: str, op: str) -> str:
        e = f"({self.expr(scope, 2)})"
        if kind == "double":
            e = f"(({self.expr(scope, 2)}) & 15)"
        elif kind == "_Bool":
            e = f"(({self.expr(scope, 2)}) & 1)"
        if kind not in (*UNSIGNED, "double", "_Bool"):
            e = f"(signed char)(({self.expr(scope, 2)}) & 7)"
        if op in ("max", "min"):
            return f"{{ {kind} t = {e}; {s} = {s} {'<' if op == 'max' else '>'} t ? t : {s}; }}"
        if op in ("&&", "||"):
            return f"{s} = {s} {op} {e};"
        if op == "*" and kind not in UNSIGNED:
            return f"{s} *= {e} > 3 ? 1 : -1;"
        return f"{s} {op}= {e};"

    # --- sequential code ------------------------------------------------------------------------------------------

    def sequential(self, name: str) -> str:
        scope = Scope()
        before = self.locals(scope, 4)
        before.append("record rec = made(77);")
        mapped = [n for n in scope.names if self.r.random() < 0.5]
        inside = Scope(dict(scope.names), set(), "rec", 0, 1)
        body = [self.statement(inside) for _ in range(7)]
        body += [f"out[{k}] = {n};" for k, n in enumerate(scope.names)]
        inner_body = "\n".join(body)
        maps = "".join(f", {m}" for m in mapped)
        region = f"#pragma omp target map(tofrom: out, rec{maps})\n{{\n{inner_body}\n}}"
        return self.function(name, before, region, [*scope.names, "hash_record(&rec)"])

    def workers(self, name: str) -> str:
        """Sequential code with parallel regions: what they share, and what the code between them sees."""
        scope = Scope()
        before = self.locals(scope, 3)
        before.append("record rec = made(5);")
        inside = Scope(dict(scope.names), set(), "rec", 0, 2)
        body = [self.declaration(inside) for _ in range(2)] + ["int field[8] = {1, 2, 3};", "long total = 0;"]
        for _ in range(3):
            body += [self.statement(inside) for _ in range(2)]
            body.append(self.r.choice((self.parallel, self.parallel, self.parallel_for, self.repeated))(inside))
        body += ["EVERY(z, 8) out[z + 8] += field[z];", "out[1] = total;"]
        body += [f"out[{k + 2}] += {n};" for k, n in enumerate(scope.names)]
        inner_body = "\n".join(body)
        teams = self.r.choice(("", "", " teams num_teams(1)"))
        region = f"#pragma omp target{teams} map(tofrom: out, rec)\n{{\n{inner_body}\n}}"
        return self.function(name, before, region, [*scope.names, "hash_record(&rec)"])

    def repeated(self, scope: Scope) -> str:
        inside = scope.child()
        k = self.fresh("k")
        inside.names[k] = "int"
        inside.fixed.add(k)
        return f"for (int {k} = 0; {k} < 3; {k}++) {{\n{self.parallel_for(inside)}\n{self.assignment(inside)}\n}}"

    def parallel_for(self, scope: Scope) -> str:
        inside = Scope(dict(scope.names), set(scope.names), scope.record, 0, 3)
        declared: list[str] = []
        collapse, headers, counters = self.nest(inside, declared)
        s = self.fresh("s")
        index = " + ".join(f"(unsigned){c}" for c in counters)
        extra = self.r.choice(("", " num_threads(5)", " schedule(static, 2)", " num_threads(64)"))
        body = f"#pragma omp atomic\nfield[({index}) % 8] += (signed char)({self.expr(inside, 2)});\n"
        body += f"{s} += {self.expr(inside, 2)};"
        return ("{\n" + "\n".join(declared) + f"\nunsigned {s} = {self.expr(scope, 1)};\n"
                f"#pragma omp parallel for{extra} reduction(+: {s}){collapse}\n{headers}{{\n{body}\n}}\n"
                f"total = (total ^ {s}) & 0xffff;\n}}")  # fmt: skip

    def parallel(self, scope: Scope) -> str:
        inside = Scope(dict(scope.names), set(scope.names), scope.record, 0, 3)
        c, v = self.fresh("i"), self.fresh("v")
        body = [f"int {v} = {self.expr(inside, 2)} & 255;"]
        inside.names[v] = "int"
        parts = [
            f"#pragma omp for\nfor (int {c} = 0; {c} < 8; {c}++)\nfield[{c}] = (field[{c}] + {v} + {c}) & 0xfff;",
            f"#pragma omp single\n{{ total = total * 3 + {v} & 0xfff; }}",
            "#pragma omp critical\nfield[3] ^= 1;\n#pragma omp critical\nfield[3] ^= 1;\n#pragma omp barrier",
            f"#pragma omp sections\n{{\n#pragma omp section\nfield[1] += {v} & 7;\n"
            f"#pragma omp section\nfield[2] ^= {v};\n}}",
            f"#pragma omp barrier\n#pragma omp master\nfield[0] = (field[0] + {v}) & 0xff;\n#pragma omp barrier",
        ]
        self.r.shuffle(parts)
        body += parts[: self.r.randrange(1, 4)]
        extra = self.r.choice(("", " num_threads(7)", " num_threads(40)", " if(scale > 5)"))
        lines = "\n".join(body)
        return f"#pragma omp parallel{extra}\n{{\n{lines}\n}}"

    # --- data and atomics -----------------------------------------------------------------------------------------

    def data(self, name: str) -> str:
        scope = Scope()
        before = self.locals(scope, 2)
        low, length = self.r.randrange(0, 20), self.r.randrange(9, 40)
        before += ["short grid[6][7];", "EVERY(y, 6) EVERY(x, 7) grid[y][x] = y * x;",
                   "unsigned *p = malloc(N * sizeof *p);", "EVERY(z, N) p[z] = z * 3;", "record recs[4];",
                   "EVERY(z, 4) recs[z] = made(z);", "struct { int n; unsigned *q; } s = {5, p};"]  # fmt: skip
        inside = Scope(dict(scope.names), set(scope.names), "recs[1]")
        e = [self.expr(scope, 2), self.expr(scope, 2), *(self.expr(inside, 2) for _ in range(4))]
        region = f"""#pragma omp target data map(tofrom: p[{low}:{length}]) map(to: grid)
{{
#pragma omp target teams distribute parallel for map(tofrom: recs[1:2]) map(p[{low}:{length}])
for (int z = {low}; z < {low + length}; z++) {{
p[z] += {e[0]};
if (z < {low + 2}) fill(&recs[1 + z - {low}], ({e[1]}) & 255);
}}
#pragma omp target update from(p[{low + 1}:{length - 3}])
for (int z = {low + 1}; z < {low + length - 2}; z++) p[z] ^= 5;
#pragma omp target update to(p[{low + 1}:{length - 3}])
#pragma omp target map(always, tofrom: grid[2:2][0:7])
EVERY(x, 7) {{ grid[2][x] += (short){e[2].replace("recs[1]", "recs[2]")} & 255; grid[3][x]--; }}
scale = ({e[3]}) & 15;
#pragma omp target update to(scale)
#pragma omp target enter data map(to: s) map(to: s.q[{low}:{length}])
#pragma omp target map(from: out)
{{ EVERY(x, N) out[x] = x; out[0] = s.n + scale; out[1] = s.q[{low + 2}]; scale += 2; table[3] = out[1] & 255; }}
#pragma omp target update from(scale, table[2:2])
#pragma omp target exit data map(delete: s) map(release: s.q[{low}:{length}])
}}"""
        after = [
            *scope.names,
            "scale",
            "table[3]",
            "hash_record(&recs[1])",
            "hash_record(&recs[2])",
            "grid[2][3]",
            "grid[3][3]",
        ]
        text = self.function(name, before, region + "\nEVERY(z, N) h = mix(h, p[z]);", after)
        end = "scale = 3;\ntable[3] = 4;\n#pragma omp target update to(scale, table)\nfree(p);\n}\n"
        return text.removesuffix("}\n") + end

    def atomics(self, name: str) -> str:
        kind = self.r.choice((*INTEGERS, "float", "double"))
        value = self.r.choice((*INTEGERS, "float", "double"))
        lines: list[str] = []
        floating = "float" in (kind, value) or "double" in (kind, value)
        names = {f"x{k}": kind for k in range(6)}
        before = [f"{kind} {n} = {self.r.randrange(1, 100)};" for n in names]
        before += [
            f"{value} w = {self.r.randrange(1, 9)}{'.5' if value in ('float', 'double') else ''};",
            f"{kind} got = 0;",
        ]
        ops = ["+", "-", "*", "/"] + ([] if floating else ["&", "|", "^", "<<", ">>"])
        for n in names:
            op = self.r.choice(ops)
            other = "w" if op not in ("<<", ">>") else "(w & 3)"
            forms = [f"{n} {op}= {other};", f"{n} = {n} {op} {other};", f"{n}++;", f"--{n};"]
            if op not in ("<<", ">>"):
                forms.append(f"{n} = {other} {op} ({n});" if op != "/" else f"{n} = {other} - {n};")
            capture = [f"got = {n}++;", f"got = {n} {op}= {other};", f"{{ got = {n}; {n} {op}= {other}; }}",
                       f"{{ {n} = {n} {op} {other}; got = {n}; }}", f"got = --{n};",
                       f"{{ got = {n}; {n} = {other}; }}"]  # fmt: skip
            if self.r.random() < 0.5:
                lines.append(f"#pragma omp atomic capture\n{self.r.choice(capture)}\nout[{n[1:]}] = (long)got;")
            else:
                lines.append(f"#pragma omp atomic update\n{self.r.choice(forms)}")
        lines.append("#pragma omp atomic read\ngot = x0;\n#pragma omp atomic write\nx1 = w;\nout[9] = (long)got;")
        body = "\n".join(lines)
        region = f"#pragma omp target map(tofrom: out, {', '.join(names)})\n{{\n{body}\n}}"
        return self.function(name, before, region, [f"(long)({n} * 4)" if floating else n for n in names])
