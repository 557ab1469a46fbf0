"""GNU C that nvrtc does not know: ranges of cases, `typeof`, computed goto, built-in functions."""

from __future__ import annotations

import re

from ompls.analysis.model import ast
from ompls.analysis.model.constants import fold
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Rewriter

ALLOCAS = ("alloca", "__builtin_alloca")
LARGEST_RANGE = 512  # values of one `case a ... b:`

# gcc's functions as those of CUDA; {} are the arguments.
BUILTINS = {
    "popcount": "__popc({})", "popcountl": "__popcll({})", "popcountll": "__popcll({})",
    "clz": "__clz({})", "clzl": "__clzll({})", "clzll": "__clzll({})",
    "ctz": "(__ffs({}) - 1)", "ctzl": "(__ffsll({}) - 1)", "ctzll": "(__ffsll({}) - 1)",
    "ffs": "__ffs({})", "ffsl": "__ffsll({})", "ffsll": "__ffsll({})",
    "parity": "(__popc({}) & 1)", "parityl": "(__popcll({}) & 1)", "parityll": "(__popcll({}) & 1)",
    "bswap16": "ompls_bswap((unsigned short)({}))", "bswap32": "ompls_bswap((unsigned)({}))",
    "bswap64": "ompls_bswap((unsigned long)({}))",
    "unreachable": "__trap()", "trap": "__trap()",
    "add_overflow": "ompls_add_overflow({})", "sub_overflow": "ompls_sub_overflow({})",
    "mul_overflow": "ompls_mul_overflow({})",
}  # fmt: skip


def case_range(rw: Rewriter, n: ast.Case) -> None:
    """`case a ... b:` is one label a value."""
    assert n.value is not None
    assert n.high is not None
    first, last = fold(n.value), fold(n.high)
    if first is None or last is None or last - first >= LARGEST_RANGE:
        raise Problem(n.value.span, "this range of cases", "write an `if`")
    labels = " case ".join(f"{v}:" for v in range(first, last + 1))[:-1]
    rw.replace(ast.Span(n.value.span.start, n.high.span.end), labels or "0 if (0) case 0")


def has_typeof(rw: Rewriter, start: int, end: int) -> bool:
    """Whether the types in a piece of the text are given by expressions."""
    return bool(re.search(rb"\b(?:__)?typeof(?:__)?\b", rw.text[start:end]))


class ComputedGotos:
    """`&&label` is a number, and `goto *p` a switch over the labels that have one."""

    def __init__(self, rw: Rewriter, node: ast.Node) -> None:
        self.rw = rw
        taken = {n.operand.name for n in ast.nodes(node) if _label(n) and isinstance(n.operand, ast.Name)}  # type: ignore[attr-defined]
        self.numbers = {name: k for k, name in enumerate(sorted(taken), 1)}

    def node(self, n: ast.Node) -> None:
        """Add the edits for `n`, if it has to do with the address of a label."""
        if isinstance(n, ast.DeclStmt) and self.numbers and any(_label(x) for x in n.walk()):
            m = re.match(rb"\s*static\b", self.rw.text[n.span.start : n.span.end])
            if m:  # a pointer that is a number is no constant for a static variable of C++
                self.rw.replace(ast.Span(n.span.start, n.span.start + m.end()), "")
        elif _label(n):
            assert isinstance(n, ast.Unary)
            assert isinstance(n.operand, ast.Name)
            self.rw.replace(n.span, f"((void *){self.numbers[n.operand.name]})")
        elif isinstance(n, ast.Jump) and n.kind == "goto" and n.value is not None:
            cases = "\n".join(f"case {k}: goto {name};" for name, k in self.numbers.items())
            self.rw.replace(n.span, "switch ((long)(", n.value.span, f")) {{  // a computed goto\n{cases}\n}}")


def _label(n: ast.Node) -> bool:
    return isinstance(n, ast.Unary) and n.op == "&&" and not n.postfix
