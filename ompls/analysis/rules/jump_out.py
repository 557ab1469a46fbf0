"""A jump out of a structured block, or into one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ompls.analysis.model.ast import (
    DirectiveStmt,
    DoWhile,
    Expr,
    For,
    FunctionDef,
    Jump,
    Labeled,
    Node,
    StatementExpr,
    Switch,
    While,
)
from ompls.analysis.model.tu import Content
from ompls.analysis.rules.support.framework import Finding, Rule, Scene
from ompls.analysis.rules.support.loopnest import nest_of, takes_loops

_LEAVES = re.compile(rb"\b(?:break|continue|return)\b")
_Stack = tuple[Node, ...]  # enclosing loops, switches and constructs, innermost first


@dataclass(slots=True)
class _Jumps:
    """What one walk over a function finds."""

    jumps: list[tuple[Jump, _Stack]]
    labels: dict[str, _Stack]
    taken: dict[int, DirectiveStmt]  # loops that belong to a directive, by id


def check(scene: Scene) -> Iterator[Finding]:
    function = scene.function
    if function is None or scene.content is None or not any(s.body is not None for s in scene.content.directives):
        return
    if not _may_leave(scene.content):
        return
    found = _collect(function)
    for jump, stack in found.jumps:
        if jump.kind == "goto":
            yield from _goto(jump, stack, found.labels)
        else:
            left = _left(jump, stack, found.taken)
            if left is not None:
                yield _finding(jump, f"`{jump.kind}` leaves", left)


def _may_leave(content: Content) -> bool:
    """Whether there is a word that jumps: in a construct, or one that jumps into it."""
    bodies = (s.span for s in content.directives if s.body is not None)
    return b"goto" in content.text or any(_LEAVES.search(content.text, start, end) for start, end in bodies)


def _collect(function: FunctionDef) -> _Jumps:
    found = _Jumps([], {}, {})
    waiting: list[tuple[Node, _Stack]] = [(function.body, ())]
    while waiting:
        node, stack = waiting.pop()
        if isinstance(node, Jump):
            found.jumps.append((node, stack))
            continue
        if isinstance(node, Labeled):
            found.labels[node.name] = stack
        elif isinstance(node, DirectiveStmt) and node.body is not None:
            stack = (node, *stack)
            if takes_loops(node.directive):
                found.taken.update((id(loop), node) for loop in nest_of(node).loops)
        elif isinstance(node, (For, While, DoWhile, Switch)):
            stack = (node, *stack)
        elif isinstance(node, Expr) and not isinstance(node, StatementExpr) and not _holds_statements(node):
            continue
        waiting.extend((child, stack) for child in reversed(list(node.children())))
    return found


def _holds_statements(expr: Expr) -> bool:
    return any(isinstance(n, StatementExpr) for n in expr.walk())


def _left(jump: Jump, stack: _Stack, taken: dict[int, DirectiveStmt]) -> DirectiveStmt | None:
    """The innermost construct that a `return`, `break` or `continue` leaves."""
    for around in stack:
        if isinstance(around, DirectiveStmt):
            return around
        if jump.kind == "return" or (jump.kind == "continue" and isinstance(around, Switch)):
            continue
        if jump.kind == "break":
            return taken.get(id(around))
        return None
    return None


def _goto(jump: Jump, stack: _Stack, labels: dict[str, _Stack]) -> Iterator[Finding]:
    if jump.label not in labels:
        return  # a computed goto
    here = [s for s in stack if isinstance(s, DirectiveStmt)]
    there = [s for s in labels[jump.label] if isinstance(s, DirectiveStmt)]
    left = next((s for s in here if s not in there), None)
    entered = next((s for s in reversed(there) if s not in here), None)
    if left is not None:
        yield _finding(jump, f"`goto {jump.label}` leaves", left)
    elif entered is not None:
        yield _finding(jump, f"`goto {jump.label}` jumps into", entered)


def _finding(jump: Jump, does: str, construct: DirectiveStmt) -> Finding:
    directive = construct.directive
    message = f"{does} the structured block of `{directive.name}`"
    return Finding(jump.span, message, "error", ((directive.name_span, "the construct"),))


RULE = Rule(
    id="jump-out",
    severity="error",
    title="A jump out of a structured block, or into one",
    why="""
What a construct applies to has one entrance at its top and one exit at its bottom, because the start and the end of the region
are where threads, tasks and data are set up and given back. `return`, `goto`, and a `break` or `continue` that belongs
to a loop outside may not leave it; `break` may not end a loop whose iterations are shared out. `exit` may be called; `cancel` ends
a region early.
""",
    section="4.3",
    bad=(
        """
int f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        if (n == 0)
            return 1;
    //      ^^^^^^^^^ error: `return` leaves the structured block of `target`
        x[0] = 1;
    }
    return 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) {
        if (x[i] < 0)
            break;
    //      ^^^^^^ error: `break` leaves the structured block of `target teams distribute parallel for`
        x[i] = 0;
    }
}
""",
        """
void f(int n, double *x) {
    for (int i = 0; i < n; i++) {
        #pragma omp target data map(tofrom: x[0:n])
        {
            if (i == 3) continue;
    //                  ^^^^^^^^^ error: `continue` leaves the structured block of `target data`
            switch (i) { case 4: continue; default: break; }
    //                           ^^^^^^^^^ error: `continue` leaves the structured block of `target data`
            x[i] = 0;
        }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel
    {
        #pragma omp critical
        {
            if (n > 3) goto out;
    //                 ^^^^^^^^^ error: `goto out` leaves the structured block of `critical`
            inside: x[0] = 1;
        }
    }
    if (n < 2) goto inside;
    //         ^^^^^^^^^^^^ error: `goto inside` jumps into the structured block of `parallel`
    out:
    n = 0;
}
""",
    ),
    good=(
        """
int f(int n, double *x) {
    #pragma omp target map(tofrom: x[0:n])
    {
        for (int i = 0; i < n; i++) {
            if (x[i] < 0) break;
            if (x[i] == 0) continue;
            switch (i) { case 4: continue; default: break; }
            x[i] = 0;
        }
        while (n) { if (n == 2) break; n--; }
    }
    return 0;
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) continue;
        for (int j = 0; j < n; j++)
            if (x[j] > 0) break;
        switch (i) { case 1: x[i] = 2; break; default: continue; }
    }
}
""",
        """
void f(int n, double *x) {
    #pragma omp parallel
    {
        again:
        #pragma omp atomic
        x[0] += 1;
        if (n > 3) goto done;
        if (n > 4) goto again;
        done: ;
    }
}
""",
        """
int f(int n, double *x) {
    for (int i = 0; i < n; i++) {
        #pragma omp target update from(x[0:n])
        if (x[i] < 0) break;
        #pragma omp barrier
        if (x[i] > 1) return 1;
    }
    return 0;
}
""",
        """
void exit(int);
void f(int n, double *x) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) exit(1);
        #pragma omp cancel for if(x[i] > 9)
    }
}
""",
        """
int f(int n, double *x) {
    for (int i = 0; i < n; i++) {
        if (i == 4) break;
        #pragma omp target map(tofrom: x[i:1])
        x[i] = 0;
    }
    return n;
}
""",
    ),
    check=check,
)
