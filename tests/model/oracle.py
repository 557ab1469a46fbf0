"""gcc as the judge of our types: every expression of a unit, as a `_Static_assert` put after the statement it is in.

The text that gcc gets is the headers' declarations and the expanded text without pragmas (types do not depend on them).
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field

from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Array, CType, Enum, Function, Pointer, Record, Unknown
from ompls.analysis.model.declare import declare
from ompls.analysis.model.layout import find_member
from ompls.analysis.model.omp import Clause
from ompls.analysis.model.tu import TU


@dataclass
class Verdict:
    """expressions seen, those that our front end left untyped, those that gcc sees differently."""

    asked: int = 0
    in_regions: int = 0
    unprintable: int = 0
    untyped: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    failed: str = ""  # gcc could not compile what we gave it


def judge(tu: TU, header: str, only_regions: bool = False) -> Verdict:
    """Compare the types of all expressions in `tu`'s functions with gcc's."""
    asker = _Asker(tu, only_regions)
    text = bytearray(tu.expanded)
    for d in _pragma_ranges(tu):
        text[d[0] : d[1]] = re.sub(rb"[^\n]", b" ", bytes(text[d[0] : d[1]]))
    asker.ask()
    parts, at = [header.encode(), b"\n"], 0
    for offset, _, insert in sorted(asker.inserts, key=lambda i: (i[0], i[1])):
        parts += (bytes(text[at:offset]), insert.encode())
        at = offset
    parts.append(bytes(text[at:]))
    verdict = asker.verdict
    command = ["gcc", "-fsyntax-only", "-w", "-x", "c", "-std=gnu11", "-fmax-errors=0", "-"]
    done = subprocess.run(command, check=False, input=b"".join(parts), capture_output=True)
    errors = [line for line in done.stderr.decode().split("\n") if " error: " in line]
    for line in errors:
        m = re.search(r'static assertion failed: "(\d+)"', line)
        if m:
            verdict.wrong.append(asker.questions[int(m.group(1))])
        elif not verdict.failed:
            verdict.failed = line
    return verdict


def _pragma_ranges(tu: TU) -> list[tuple[int, int]]:
    found = [(d.start + d.directive.span.start, d.start + d.directive.span.end) for d in tu.directives]
    for item in tu.items:
        spans = [d.directive.span for d in item.content.directives]
        found += [(item.start + s.start, item.start + s.end) for s in spans]
    return found


class _Asker:
    def __init__(self, tu: TU, only_regions: bool) -> None:
        self.tu = tu
        self.only_regions = only_regions
        self.verdict = Verdict()
        self.questions: list[str] = []
        self.inserts: list[tuple[int, int, str]] = []
        self.base = 0
        self.regions: list[ast.Span] = []

    def ask(self) -> None:
        for item in self.tu.items:
            node = item.content.node
            if isinstance(node, ast.FunctionDef):
                self.base = item.start
                self.regions = [r.stmt.span for r in item.content.regions]
                self.statement(node.body, in_block=True)

    def insert(self, at: int, text: str) -> None:
        self.inserts.append((self.base + at, len(self.inserts), text))

    def statement(self, s: ast.Stmt | None, in_block: bool) -> None:
        """Ask about what stands in `s` itself, and go into the statements it has."""
        while isinstance(s, ast.DirectiveStmt):
            if in_block:
                after = s.span.end
                self.insert(after, self.asserts([e for c in s.directive.clauses for e in _clause_expressions(c)]))
            s = s.body
        if s is None or isinstance(s, ast.OtherStmt):
            return
        if isinstance(s, (ast.Case, ast.Labeled)):
            self.statement(s.body, in_block=False)
            return
        if isinstance(s, ast.Compound):
            for i in s.items:
                self.statement(i, in_block=True)
            return
        if not in_block:
            self.insert(s.span.start, "{")
        self.inside(s)
        if not isinstance(s, (ast.For, ast.Jump)):
            self.insert(s.span.end, self.asserts(_own(s)))
        if not in_block:
            self.insert(s.span.end, "}")

    def inside(self, s: ast.Stmt) -> None:
        if isinstance(s, ast.If):
            self.statement(s.then, in_block=False)
            self.statement(s.otherwise, in_block=False)
        elif isinstance(s, (ast.While, ast.DoWhile, ast.Switch)):
            self.statement(s.body, in_block=False)
        elif isinstance(s, ast.For):
            body = s.body
            while isinstance(body, ast.DirectiveStmt) and body.body is not None:
                body = body.body
            asked = [n for n in (s.init, s.condition, s.step) if n is not None]
            self.insert(body.span.start, "{" + self.asserts(asked))
            self.statement(body, in_block=True)
            self.insert(body.span.end, "}")
        elif isinstance(s, ast.Jump) and s.value is not None:
            self.insert(s.span.start, "{" + self.asserts([s.value]))
            self.insert(s.span.end, "}")

    def asserts(self, nodes: list[ast.Node]) -> str:
        out: list[str] = []
        for n in nodes:
            for e in _expressions(n):
                question = self.question(e)
                if question:
                    out.append(question)
        return " ".join(out)

    def question(self, e: ast.Expr) -> str:
        inside = any(r.start <= e.span.start < r.end for r in self.regions)
        if (self.only_regions and not inside) or isinstance(e, ast.InitList) or _is_bit_field(e) or _builtin(e):
            return ""
        verdict = self.verdict
        verdict.asked += 1
        verdict.in_regions += inside
        text = self.tu.expanded[self.base + e.span.start : self.base + e.span.end].decode("utf-8", "replace")
        text = text.replace("\\\n", " ")
        if _has_unknown(e.type):
            verdict.untyped.append(text)
            return ""
        if _anonymous(e.type) or "\n#" in text:
            verdict.unprintable += 1
            return ""
        printed = declare(e.type)
        self.questions.append(f"{text} : {printed}")
        test = f"__builtin_types_compatible_p(__typeof__({text}), {printed})"
        return f'_Static_assert({test}, "{len(self.questions) - 1}");'


def _clause_expressions(c: Clause) -> list[ast.Node]:
    """The expressions of a clause that are C (sections are not)."""
    if any(m.startswith("iterator") for m in c.modifiers):
        return []
    found = [n for top in (*(i.expr for i in c.items), *c.args) for n in top.walk() if isinstance(n, ast.Expr)]
    return [n for n in found if not any(isinstance(m, (ast.Section, ast.Shaping, ast.OtherExpr)) for m in n.walk())]


def _own(s: ast.Stmt) -> list[ast.Node]:
    if isinstance(s, (ast.If, ast.While, ast.DoWhile, ast.Switch)):
        return [s.condition]
    return [s]


def _expressions(n: ast.Node) -> list[ast.Expr]:
    """The expressions in `n` whose names are visible after it."""
    if isinstance(n, ast.StatementExpr):
        return [n]
    found = [n] if isinstance(n, ast.Expr) and not (isinstance(n, ast.OtherExpr) and not n.parts) else []
    if isinstance(n, ast.Unary) and n.op == "&&":
        return found
    for c in n.children():
        found += _expressions(c)
    return found


def _builtin(e: ast.Expr) -> bool:
    return isinstance(e, ast.Name) and e.name.startswith(("__builtin_", "__sync_", "__atomic_"))


def _is_bit_field(e: ast.Expr) -> bool:
    while isinstance(e, ast.Paren):
        e = e.inner
    if not isinstance(e, ast.Member):
        return False
    t: CType = e.base.type
    if isinstance(t, (Pointer, Array)):
        t = t.to if isinstance(t, Pointer) else t.of
    member = find_member(t, e.field) if isinstance(t, Record) else None
    return member is not None and member.bits is not None


def _parts(t: CType) -> list[CType]:
    if isinstance(t, Pointer):
        return [t, *_parts(t.to)]
    if isinstance(t, Array):
        return [t, *_parts(t.of)]
    if isinstance(t, Function):
        return [t, *_parts(t.returns), *(q for p in t.params for q in _parts(p))]
    return [t]


def _has_unknown(t: CType) -> bool:
    return any(isinstance(p, Unknown) for p in _parts(t))


def _anonymous(t: CType) -> bool:
    return any(isinstance(p, (Record, Enum)) and p.tag in ("", "__va_list_tag") for p in _parts(t))
