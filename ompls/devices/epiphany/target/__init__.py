"""The target of `epiphany`: C of the shared set `default`, with fences and locks where the chip's compiler makes none.

Writes of a core to two places arrive in any order (library/ecore.c).  The run time waits for them in barriers, locks
and tasks, but gcc makes nothing of `flush` and of an `atomic` that releases: before these a function of it is called.

A core has no instruction that updates a word of memory: gcc takes a lock for it, but none for an `atomic write` of at
most four bytes, which an update could undo.  So these become a `capture` whose old value nobody reads.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from ompls.analysis.dataenv.layouts import is_long
from ompls.analysis.model import ast
from ompls.analysis.model.constants import fold
from ompls.analysis.model.convert import owner
from ompls.analysis.model.ctype import Integer, Record
from ompls.analysis.model.layout import find_member
from ompls.analysis.model.omp import Directive
from ompls.translate.lowering.round import Round, directive_text, pragma
from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places
from ompls.translate.plan import Param, RegionPlan
from ompls.translate.transformations import default

_WIDE = 8  # bytes of the host's `long`
_LONG = re.compile(r"(?<!long )\blong\b(?! long| double)")
FENCE = "__sync_synchronize"  # on a chip a macro (module/size.py)


def with_fences(work: Round) -> None:
    """What a core has written is there before the flush is over, and before others see what the atomic writes."""
    orders = (f.directive.clause("atomic_default_mem_order") for f in work.tu.directives)
    usual = next((order.keyword for order in orders if order is not None), "relaxed")
    for item in work.items(__name__):
        done = _fenced(item.content.node)
        for stmt in item.content.directives:
            d = stmt.directive
            if d.name == "flush" and d.clause("acquire") is None:
                work.replace(item, (d.span, f"{FENCE}();"))
            elif d.name == "atomic" and id(stmt) not in done and _orders(d, usual):
                start, end = stmt.span
                after = f" {FENCE}();" if _order(d, usual) == "seq_cst" else ""
                work.replace(item, (ast.Span(start, start), f"{{ {FENCE}();\n"), (ast.Span(end, end), f"\n{after} }}"))


def _order(d: Directive, usual: str) -> str:
    found = d.clause("seq_cst", "acq_rel", "release", "acquire", "relaxed")
    return found.name if found is not None else usual


def _orders(d: Directive, usual: str) -> bool:
    """Whether it releases what was written before it."""
    order = _order(d, usual)
    return order == "seq_cst" or (order in ("acq_rel", "release") and d.clause("read") is None)


def _fenced(node: ast.Node) -> set[int]:
    """The directives behind a fence that is there already, by their identity."""
    blocks = (n.items for n in ast.nodes(node) if isinstance(n, ast.Compound))
    return {id(one) for items in blocks for before, one in pairwise(items) if _is_fence(before)}


def _is_fence(stmt: ast.Stmt) -> bool:
    call = stmt.expr if isinstance(stmt, ast.ExprStmt) else None
    return isinstance(call, ast.Call) and isinstance(call.function, ast.Name) and call.function.name == FENCE


def with_locks(work: Round) -> None:
    """Writes that are atomic take the lock of updates."""
    for item in work.items(f"{__name__}.locks"):
        for stmt in item.content.directives:
            d, body = stmt.directive, stmt.body
            if d.name != "atomic" or d.clause("write") is None or not isinstance(body, ast.ExprStmt):
                continue
            write = body.expr
            if not isinstance(write, ast.Assign) or write.op != "=" or not _has_address(write.target):
                continue
            to, value = (work.text(item, e.span) for e in (write.target, write.value))
            capture = pragma(re.sub(r"\bwrite\b", "capture", directive_text(work.tu, item, d), count=1))
            before = f"{{ __typeof__({to}) *ompls_at = &({to}), ompls_old; {capture}"
            after = f"{{ ompls_old = *ompls_at; *ompls_at = {value}; }} }}"
            work.replace(item, (d.span, before), (body.span, after))


def _has_address(target: ast.Expr) -> bool:
    """Not so a bit-field: its write stays as it is."""
    if not isinstance(target, ast.Member):
        return True
    of = owner(target.base.type, target.arrow)
    found = find_member(of, target.field) if isinstance(of, Record) else None
    return found is None or found.bits is None


def kernel(index: Index, places: Places, plan: RegionPlan, needs: Needs) -> list[OutLine]:
    """A league is told how many threads its teams ask for: else each core is the master of a team, and none is left.

    Variables that it shares have the host's `long`.  What comes as a value has to fit the core's, which its own have.
    """
    lines = default.kernel(index, places, plan, needs)
    wide = index.tu.model.long == _WIDE
    before = [_fits(p) for p in plan.params if wide and not p.deref and p.symbol and is_long(p.type)]
    wished = _team_threads(plan.region.stmt)
    if wished > 1:
        before.append(f"{{ extern void ompls_team_threads(unsigned); ompls_team_threads({wished}); }}")
    out: list[OutLine] = []
    for line in lines:
        if before and line.text.lstrip().startswith("#pragma omp target"):
            out += [OutLine(text, line.path, line.line, entry=True) for text in before]
            before = []
        own = line.entry and wide and not line.text.lstrip().startswith("extern")
        out.append(replace(line, text=_LONG.sub("long long", line.text)) if own else line)
    return out


def _fits(p: Param) -> str:
    there = "int" if isinstance(p.type, Integer) and p.type.signed else "unsigned"
    return f"if ({p.name} != ({there}){p.name}) {{ extern void ompls_number_cut(void); ompls_number_cut(); }}"


def _team_threads(region: ast.DirectiveStmt) -> int:
    """The largest constant `num_threads` of the parallel regions in a league; 0: there is none."""
    directives = [stmt.directive for stmt in region.nodes(ast.DirectiveStmt)]
    if not any(d.has("teams") for d in directives):
        return 0
    asked = (clause.args[0] for d in directives if d.has("parallel") for clause in d.all("num_threads") if clause.args)
    return max((fold(number) or 0 for number in asked), default=0)


TARGET = replace(default.CLASS, passes=(with_locks, with_fences), kernel=kernel)
