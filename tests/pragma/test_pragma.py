"""The pragma grammar: texts and what they parse to, in one notation that one checker renders."""

from __future__ import annotations

import dataclasses

from together import together

from ompls.analysis.model import ast
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.spec import CLAUSES, DIRECTIVES, clauses_of, constructs_of, is_declarative, is_standalone
from ompls.analysis.syntax.pragma import parse_directive


def is_type(name: str) -> bool:
    return name == "T"


def show(value: object) -> str:
    """An expression as `Kind(child, …)`; names and literals as themselves."""
    if isinstance(value, ast.Name):
        return value.name
    if isinstance(value, (ast.IntLiteral, ast.FloatLiteral, ast.StringLiteral)):
        return value.text
    if isinstance(value, ast.Node):
        skipped = ("why", "span", "type", "to", "of", "symbol", "field_span", "type_span", "postfix", "arrow")
        skipped += ("size", "keeps_step")
        parts = [show(getattr(value, f.name)) for f in dataclasses.fields(value) if f.name not in skipped]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(show, value))}]"
    return "-" if value is None else str(value)


def clause_line(clause: Clause) -> str:
    parts = [clause.name or "?"]
    if not clause.known:
        parts.append("UNKNOWN")
    if clause.keyword:
        parts.append(f"<{clause.keyword}>")
    parts += [f"+{m}" for m in clause.modifiers]
    if clause.items:
        parts.append("{" + "; ".join(i.text for i in clause.items) + "}")
    parts += [f"({show(a)})" for a in clause.args]
    if clause.broken:
        parts.append("BROKEN")
    return " ".join(parts)


def render(d: Directive) -> str:
    head = ("" if d.known else "UNKNOWN ") + d.name
    if d.args:
        head += " {" + "; ".join(i.text for i in d.args) + "}"
    return " | ".join([head, *map(clause_line, d.clauses)])


CASES = [
    # names
    ("#pragma omp target", "target"),
    ("  #  pragma   omp\ttarget", "target"),
    ("#pragma /* c */ omp /* d */ target // e", "target"),
    ("#pragma omp target \\\n teams \\\r\n distribute", "target teams distribute"),
    ("#pragma omp tar\\\nget teams", "target teams"),
    ("%: pragma omp barrier", "barrier"),
    ("#pragma omp target_enter_data map(to: x)", "target enter data | map <to> {x}"),
    ("#pragma omp end declare_target", "end declare target"),
    ("#pragma omp begin declare target device_type(any)", "begin declare target | device_type <any>"),
    ("#pragma omp cancellation point for", "cancellation point | for"),
    ("#pragma omp parallel for simd", "parallel for simd"),
    ("#pragma omp for simd", "for simd"),
    ("#pragma omp ordered simd", "ordered | simd"),
    ("#pragma omp", "UNKNOWN "),
    ("#pragma omp taget map(x)", "UNKNOWN taget | map {x}"),
    ("#pragma omp paralel for private(x)", "UNKNOWN paralel for | private {x}"),
    ("#pragma omp target tems distribute", "target | tems UNKNOWN | distribute UNKNOWN"),
    # arguments of directives
    ("#pragma omp critical (name) hint(1)", "critical {name} | hint (1)"),
    ("#pragma omp flush(a, b)", "flush {a; b}"),
    ("#pragma omp declare target(a, f)", "declare target {a; f}"),
    ("#pragma omp declare_target enter(a) link(b)", "declare target | enter {a} | link {b}"),
    ("#pragma omp depobj(o) depend(in: x)", "depobj {o} | depend <in> {x}"),
    (
        "#pragma omp declare reduction(m: int: omp_out += omp_in) initializer(omp_priv = 0)",
        "declare reduction {m:int:omp_out+=omp_in} | initializer",
    ),
    ("#pragma omp declare variant(f) match(construct={target})", "declare variant {f} | match"),
    # map
    ("#pragma omp target map(a)", "target | map {a}"),
    ("#pragma omp target map(to: a[0:n], b[:m:2])", "target | map <to> {a[0:n]; b[:m:2]}"),
    ("#pragma omp target map(always, close, tofrom: a)", "target | map <tofrom> +always +close {a}"),
    ("#pragma omp target map(always tofrom: a)", "target | map <tofrom> +always {a}"),
    ("#pragma omp target map(present, mapper(id), to: a)", "target | map <to> +present +mapper(id) {a}"),
    ("#pragma omp target map(iterator(int i=0:n), to: a[i])", "target | map <to> +iterator(int i=0:n) {a[i]}"),
    ("#pragma omp target map(present: a)", "target | map +present {a}"),
    ("#pragma omp target exit data map(release: a) map(delete: b)",
     "target exit data | map <release> {a} | map <delete> {b}"),
    ("#pragma omp target map(to: s.p[0:s.n], s->q)", "target | map <to> {s.p[0:s.n]; s->q}"),
    ("#pragma omp target map(tofromm: a)", "target | map BROKEN"),
    ("#pragma omp target map(to:)", "target | map <to> BROKEN"),
    ("#pragma omp target map()", "target | map BROKEN"),
    ("#pragma omp target map", "target | map BROKEN"),
    ("#pragma omp target map(to: a[0:n", "target | map <to> {a[0:n} BROKEN"),
    ("#pragma omp target map(to: a,, b)", "target | map <to> {a; b} BROKEN"),
    ("#pragma omp target map(to: a[]) nowait", "target | map <to> {a[]} BROKEN | nowait"),
    ("#pragma omp target map(c ? a : b)", "target | map {c?a:b}"),
    # other lists
    ("#pragma omp for reduction(+: a, b[0:n])", "for | reduction <+> {a; b[0:n]}"),
    ("#pragma omp for reduction(inscan, max: a)", "for | reduction <max> +inscan {a}"),
    ("#pragma omp for reduction(&&: a)", "for | reduction <&&> {a}"),
    ("#pragma omp for reduction(mine: a)", "for | reduction <mine> {a}"),
    ("#pragma omp for lastprivate(conditional: x)", "for | lastprivate +conditional {x}"),
    ("#pragma omp simd linear(x: 2)", "simd | linear {x} (2)"),
    ("#pragma omp simd linear(val(x): 2)", "simd | linear +val {x} (2)"),
    ("#pragma omp simd linear(val: 2)", "simd | linear {val} (2)"),
    ("#pragma omp simd linear(x: val, step(2))", "simd | linear +val {x} (2)"),
    ("#pragma omp simd linear(x) aligned(p, q: 32)", "simd | linear {x} | aligned {p; q} (32)"),
    ("#pragma omp task depend(in: a) depend(iterator(i=0:n), out: b[i])",
     "task | depend <in> {a} | depend <out> +iterator(i=0:n) {b[i]}"),
    ("#pragma omp ordered depend(source)", "ordered | depend <source>"),
    ("#pragma omp ordered depend(sink: i - 1, j)", "ordered | depend <sink> (Binary(-, i, 1)) (j)"),
    ("#pragma omp ordered doacross(source:)", "ordered | doacross <source>"),
    ("#pragma omp target update to(present: a) from(b)", "target update | to +present {a} | from {b}"),
    ("#pragma omp parallel allocate(al: x) private(x)", "parallel | allocate {x} (al) | private {x}"),
    ("#pragma omp parallel allocate(allocator(al), align(8): x)",
     "parallel | allocate +allocator(al) +align(8) {x} (al)"),
    ("#pragma omp interop init(targetsync: o)", "interop | init +targetsync {o}"),
    ("#pragma omp target map(x) private(y), firstprivate(z) , nowait",
     "target | map {x} | private {y} | firstprivate {z} | nowait"),
    ("#pragma omp for induction(step(2), *: x)", "for | induction <*> +step(2) {x}"),
    ("#pragma omp target teams firstprivate(teams: x) collapse(2)",
     "target teams | firstprivate +teams {x} | collapse (2)"),
    ("#pragma omp target teams num_teams(teams: 4)", "target teams | num_teams +teams (4)"),
    ("#pragma omp metadirective when(device={arch(nvptx)}: teams) default(parallel for)",
     "metadirective | when | default"),
    # keywords
    ("#pragma omp for schedule(static)", "for | schedule <static>"),
    ("#pragma omp for schedule(nonmonotonic, simd: dynamic, n + 1)",
     "for | schedule <dynamic> +nonmonotonic +simd (Binary(+, n, 1))"),
    ("#pragma omp for schedule(statc)", "for | schedule <statc> BROKEN"),
    ("#pragma omp target defaultmap(none)", "target | defaultmap <none>"),
    ("#pragma omp target defaultmap(tofrom: scalar)", "target | defaultmap <tofrom> +scalar"),
    ("#pragma omp loop order(reproducible: concurrent) bind(teams)",
     "loop | order <concurrent> +reproducible | bind <teams>"),
    ("#pragma omp atomic compare capture fail(relaxed)", "atomic | compare | capture | fail <relaxed>"),
    # expressions
    ("#pragma omp target if(n > 3 ? 1 : 0)", "target | if (Conditional(Binary(>, n, 3), 1, 0))"),
    ("#pragma omp target parallel if(target: a) if(parallel: b)",
     "target parallel | if <target> (a) | if <parallel> (b)"),
    ("#pragma omp target enter data if(target enter data: a) map(to: x)",
     "target enter data | if <target enter data> (a) | map <to> {x}"),
    ("#pragma omp target device(ancestor: 1)", "target | device <ancestor> (1)"),
    ("#pragma omp target device(device_num: d)", "target | device <device_num> (d)"),
    ("#pragma omp teams num_teams(1: n) thread_limit(64)", "teams | num_teams (1) (n) | thread_limit (64)"),
    ("#pragma omp taskloop grainsize(strict: 4)", "taskloop | grainsize +strict (4)"),
    ("#pragma omp tile sizes(4, n)", "tile | sizes (4) (n)"),
    ("#pragma omp target uses_allocators(a, b(t))", "target | uses_allocators (a) (Call(b, [t]))"),
    ("#pragma omp target uses_allocators(traits(t): b)", "target | uses_allocators +traits(t) (b)"),
    ("#pragma omp parallel num_threads((T)x)", "parallel | num_threads (Cast(x))"),
    ("#pragma omp parallel num_threads((y) - 1)", "parallel | num_threads (Binary(-, Paren(y), 1))"),
    ("#pragma omp parallel num_threads(sizeof(int) * f(3, *p))",
     "parallel | num_threads (Binary(*, SizeOf(sizeof, -), Call(f, [3, Unary(*, p)])))"),
    ("#pragma omp parallel num_threads(sizeof x)", "parallel | num_threads (SizeOf(sizeof, x))"),
    ("#pragma omp parallel num_threads(a.b->c[1])",
     "parallel | num_threads (Index(Member(Member(a, b), c), 1))"),
    ("#pragma omp parallel num_threads(1 << 2 | 3 && 4)",
     "parallel | num_threads (Binary(&&, Binary(|, Binary(<<, 1, 2), 3), 4))"),
    ("#pragma omp parallel num_threads(2 - 1 - 1)", "parallel | num_threads (Binary(-, Binary(-, 2, 1), 1))"),
    ("#pragma omp parallel num_threads(0x1F + 1.5e-3f)", "parallel | num_threads (Binary(+, 0x1F, 1.5e-3f))"),
    ("#pragma omp parallel num_threads(1 2)", "parallel | num_threads BROKEN"),
    ("#pragma omp parallel num_threads(+)", "parallel | num_threads BROKEN"),
    ("#pragma omp error at(compilation) message(\"a ) b\")", 'error | at <compilation> | message ("a ) b")'),
    ("#pragma omp task if((a, b))", "task | if (Paren(Binary(,, a, b)))"),
    ("#pragma omp task if(a = b ?: c)", "task | if (Assign(=, a, Conditional(b, -, c)))"),
    ("#pragma omp task if(-a * !b + ~c)", "task | if (Binary(+, Binary(*, Unary(-, a), Unary(!, b)), Unary(~, c)))"),
    ("#pragma omp task if(p++ == &q[1])", "task | if (Binary(==, Unary(++, p), Unary(&, Index(q, 1))))"),
    ("#pragma omp task if(__extension__ __real__ z)", "task | if (Unary(__real__, z))"),
    ("#pragma omp task if(sizeof(T[3]) > _Alignof(int))",
     "task | if (Binary(>, SizeOf(sizeof, -), SizeOf(_Alignof, -)))"),
    ("#pragma omp task if('a' == L'\\n')", "task | if (Binary(==, CharLiteral(97, 'a'), CharLiteral(10, L'\\n')))"),
    ("#pragma omp task if(c == '\\x41' || c == '\\101')",
     "task | if (Binary(||, Binary(==, c, CharLiteral(65, '\\x41')), Binary(==, c, CharLiteral(65, '\\101'))))"),
    ("#pragma omp task if(017 + 0b11 + 1.5 + 0x1p3)",
     "task | if (Binary(+, Binary(+, Binary(+, 017, 0b11), 1.5), 0x1p3))"),
    ("#pragma omp task if(09)", "task | if (OtherExpr([]))"),
    ("#pragma omp task if(f(1, (T){2}))", "task | if (Call(f, [1, OtherExpr([])]))"),
    ("#pragma omp task if(({ 1; }))", "task | if (OtherExpr([]))"),
    ("#pragma omp task if(({ 1; })", "task | if (OtherExpr([])) BROKEN"),
    ("#pragma omp task if(s.3)", "task | if BROKEN"),
    ("#pragma omp task if(a[1)", "task | if BROKEN"),
    ("#pragma omp target map(to: a[0:1:2:3])", "target | map <to> {a[0:1:2:3]} BROKEN"),
    ("#pragma omp target map(to: a[::2], b[1:][:2])", "target | map <to> {a[::2]; b[1:][:2]}"),
    # garbage
    ("#pragma omp target foo(3) bar", "target | foo UNKNOWN | bar UNKNOWN"),
    ("#pragma omp target ompx_hint(3)", "target | ompx_hint"),
    ("#pragma omp target map(ompx_hold, tofrom: x) ompx_dyn_cgroup_mem(n)",
     "target | map <tofrom> +ompx_hold {x} | ompx_dyn_cgroup_mem (n)"),
    ("#pragma omp target enter dat map(to: x)", "UNKNOWN target enter dat | map <to> {x}"),
    ("#pragma omp taskgroup wat", "taskgroup | wat UNKNOWN"),
    ("#pragma omp target ) map(x)", "target | ? UNKNOWN BROKEN | map {x}"),
    ("#pragma omp target map(((((((a)", "target | map {((((((a)} BROKEN"),
]  # fmt: skip


@together(("text", "expected"), CASES, ids=[t[12:60] for t, _ in CASES])
def test_parses(text: str, expected: str) -> None:
    assert render(parse_directive(text.encode(), is_type=is_type)) == expected


@together("text", [t for t, _ in CASES])
def test_every_prefix_parses(text: str) -> None:
    data = text.encode()
    for end in range(len(data)):
        parse_directive(data[:end])


def test_spans_count_from_the_shift() -> None:
    text = b"#pragma omp target \\\n map(to: a[0:n]) nowait"
    d = parse_directive(text, 100)

    def cut(span: ast.Span) -> bytes:
        return text[span.start - 100 : span.end - 100]

    assert cut(d.span) == text
    assert cut(d.name_span) == b"target"
    clause = d.clauses[0]
    assert cut(clause.span) == b"map(to: a[0:n])"
    assert clause.keyword_span is not None
    assert cut(clause.keyword_span) == b"to"
    assert cut(clause.items[0].span) == b"a[0:n]"
    section = clause.items[0].expr
    assert isinstance(section, ast.Section)
    assert section.length is not None
    assert cut(section.length.span) == b"n"


def test_bytes_that_are_no_text_parse() -> None:
    for data in (b"", b"\xff\xfe", b"#pragma omp target map(\xff\xe4)", b"#pragma omp target if(" + b"(" * 5000):
        parse_directive(data)


def test_tables_agree() -> None:
    used = {c for d in DIRECTIVES.values() for c in d.clauses}
    assert used == set(CLAUSES)
    assert constructs_of("target teams distribute parallel for simd") == (
        "target", "teams", "distribute", "parallel", "for", "simd",
    )  # fmt: skip
    assert "map" in clauses_of("target parallel for")
    assert "schedule" in clauses_of("target parallel for")
    assert "map" not in clauses_of("parallel for")
    assert is_standalone("target update")
    assert not is_standalone("target data")
    assert is_standalone("ordered", ("depend",))
    assert not is_standalone("ordered")
    assert is_declarative("declare target")
