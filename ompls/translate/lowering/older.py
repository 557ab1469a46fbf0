"""For a gcc before version 9, as old boards have it: what OpenMP 4.5 lacks, in its words.

A stronger order of memory, or of tasks, is right, too; what is a hint goes.  What is left over is refused by its name.
`nests.py` collapses fewer loops for such a compiler.
"""

from __future__ import annotations

import re

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.peel import bare
from ompls.analysis.model.tu import Item
from ompls.analysis.rules.support.newer import newer_words
from ompls.analysis.spec import clauses_of
from ompls.translate.canonical import LOOP_CONSTRUCTS, nest_of
from ompls.translate.launch import binding
from ompls.translate.loops import Loop
from ompls.translate.lowering.combined import part
from ompls.translate.lowering.round import Round, directive_text, pragma, with_outer
from ompls.translate.problem import Problem

_HINTS = frozenset(("order", "nontemporal", "allocate", "affinity", "bind"))
_STRONGER = {"acq_rel": "seq_cst", "acquire": "seq_cst", "release": "seq_cst", "relaxed": ""}  # of an atomic
_ORDERS = frozenset((*_STRONGER, "seq_cst"))
# What compilers do not see of constructs for devices: it is done by calls.
_DONE = frozenset(("target data", "target enter data", "target exit data", "target update"))
_DONE_CLAUSES = frozenset(
    ("map", "defaultmap", "has_device_addr", "is_device_ptr", "uses_allocators", "device", "depend")
)
_BINDS = {"teams": "teams", "parallel": "parallel"} | dict.fromkeys(("for", "simd", "task", "taskloop"), "thread")
_OF_LANES = frozenset(("safelen", "simdlen", "aligned"))
_FILTER = "__ompls_once"
# What does the same.
_INSTEAD = {
    "compare": "write it within 'critical'",
    "inscan": "write the loop without directives",
    "task": "let the tasks add up with 'atomic'",
    "task_reduction": "let the tasks add up with 'atomic'",
    "in_reduction": "let the tasks add up with 'atomic'",
    "iterator": "write the items one by one",
}


def lower(work: Round) -> None:
    if not work.target.openmp or not work.target.version:
        return
    for item in work.items("older"):
        for node, outer in with_outer(item.content.node):
            if isinstance(node, DirectiveStmt) and node.directive.known and node.directive.meta is None:
                _Old(work, item, node, outer).lower()
    for f in work.tu.directives:
        if f.directive.name == "allocate":
            work.replace(f, (f.directive.span, ""))


class _Old:
    """One directive; `outer` are those around it."""

    def __init__(self, work: Round, item: Item, stmt: DirectiveStmt, outer: tuple[Directive, ...]) -> None:
        self.work, self.item, self.stmt, self.outer = work, item, stmt, outer
        self.directive = stmt.directive

    def lower(self) -> None:
        d = self.directive
        if d.name in _DONE:
            return
        if d.name == "scope" and all(c.name == "nowait" for c in d.clauses):
            end = "" if d.clause("nowait") else pragma("omp barrier")
            self.work.replace(self.item, (d.span, "{ "), (Span(self.stmt.span.end, self.stmt.span.end), f" {end}}}"))
            return
        text = self._constructs()
        if text is None:
            text = self._clauses()
        if text is not None:
            self.work.replace(self.item, (d.span, text))
        elif not self._loops():
            self._refuse()

    # --- constructs -----------------------------------------------------------------------------------------------

    def _constructs(self) -> str | None:
        """What stands for the directive where its name is too new; None: it is not."""
        d = self.directive
        if d.name == "allocate":
            return ""
        if d.name == "taskwait" and d.clause("depend"):  # OpenMP 5.2 section 15.5
            return f"{{ {pragma('omp task if(0) ' + self._words(*d.all('depend')))}{{ }} }}"
        if "loop" in d.constructs:
            return self._loop()
        if {"masked", "master"} & set(d.constructs) and d.name != "master":
            return self._masked()
        if "simd" in d.constructs and d.name != "declare simd" and self._asks_too_much():
            return self._without_simd()
        return None

    def _asks_too_much(self) -> bool:
        """Whether the lanes of a simd construct have constructs in them, or its counter is said to be private."""
        inside = self.stmt.body.walk() if self.stmt.body is not None else ()
        if any(isinstance(n, DirectiveStmt) and n.directive.name != "ordered" for n in inside):
            return True
        private = {i.symbol for c in self.directive.all("private") for i in c.items}
        return bool(private) and not private.isdisjoint(loop.symbol for loop in self._nest())

    def _without_simd(self) -> str | None:
        """The same loop without lanes; None where a clause would be lost with them."""
        d = self.directive
        name = " ".join(c for c in d.constructs if c != "simd")
        lanes = [c for c in d.clauses if c.name in _OF_LANES]
        kept = [c for c in d.clauses if c not in lanes and c.name not in _HINTS]
        if not name:
            return "" if all(c.name == "collapse" for c in kept) else None
        return pragma(f"omp {name} {self._words(*kept)}") if all(c.name in clauses_of(name) for c in kept) else None

    def _loop(self) -> str | None:
        """A `loop` shares its iterations out as the construct does that it binds to (OpenMP 5.2 section 11.7)."""
        d = self.directive
        around = next((x for x in reversed((*self._around(), *d.constructs[:-1])) if x in _BINDS), "thread")
        bound = binding(d) or _BINDS.get(around, "thread")
        kept = [c for c in d.clauses if c.name not in ("bind", "order")]
        name = d.name.rpartition("loop")[0]
        if bound == "thread":
            if name:
                return None
            if any(isinstance(n, DirectiveStmt) for n in self.stmt.body.walk()) if self.stmt.body else False:
                return None if any(c.name != "collapse" for c in kept) else ""
        shared = {"teams": "distribute parallel for", "parallel": "for", "thread": "simd"}[bound]
        return pragma(f"omp {name}{shared} {self._words(*kept)}")

    def _around(self) -> list[str]:
        return [c for x in self.outer for c in x.constructs]

    def _masked(self) -> str:
        """One construct in the other; `master` is the one without a filter."""
        d = self.directive
        tail = " ".join(c for c in d.constructs if c not in ("parallel", "masked", "master"))
        team = "parallel" in d.constructs
        text = pragma(self._part("parallel", tail)) if team else ""
        filtered = d.clause("filter")
        if filtered is None or not filtered.args:
            text += pragma("omp master")
        else:
            who = "({ extern int omp_get_thread_num(void); omp_get_thread_num(); })"
            chosen = f"{who} == ({self.work.text(self.item, filtered.args[0].span)})"
            text += f"for (int {_FILTER} = {chosen}; {_FILTER}; {_FILTER} = 0) "
        return text + (pragma(self._part(tail, "parallel" if team else "")) if tail else "")

    def _part(self, name: str, other: str) -> str:
        """One of the constructs, with its clauses."""
        if other:
            return part(self.work, self.item, self.directive, name, other)
        return f"omp {name} {self._words(*(c for c in self.directive.clauses if c.name != 'filter'))}"

    # --- clauses --------------------------------------------------------------------------------------------------

    def _words(self, *clauses: Clause) -> str:
        return " ".join(self.work.text(self.item, c.span) for c in clauses)

    def _clauses(self) -> str | None:
        """The directive with clauses that 4.5 has; None: it has all."""
        d, changed = self.directive, False
        clauses: list[str] = []
        for c in d.clauses:
            text = self.work.text(self.item, c.span)
            new = self._clause(c, text)
            changed = changed or new != text
            if new and new not in clauses:
                clauses.append(new)
        if not changed:
            return None
        lone = Directive(d.name, d.constructs, d.span, d.name_span, (), args=d.args)
        return pragma(" ".join([directive_text(self.work.tu, self.item, lone), *clauses]))

    def _clause(self, c: Clause, text: str) -> str:
        d = self.directive
        if c.name in _HINTS or (d.name == "atomic" and c.name == "hint"):
            return ""
        if d.name == "atomic" and c.name in _STRONGER:
            return _STRONGER[c.name]
        if d.name == "flush" and c.name in _ORDERS:
            return ""
        if c.name == "if" and (c.keyword == "simd" or (not c.keyword and d.constructs == ("simd",))):
            return ""
        if c.name == "if" and c.keyword == "cancel":
            return f"if({self.work.text(self.item, c.args[-1].span)})"
        if c.name == "depend" and c.keyword == "mutexinoutset" and "target" not in d.constructs:
            return re.sub(r"\bmutexinoutset\b", "inout", text, count=1)
        if c.name == "reduction":
            return re.sub(r"\(\s*default\s*,", "(", text, count=1)
        if c.name == "num_teams" and len(c.args) == 2:
            return f"num_teams({self.work.text(self.item, c.args[-1].span)})"
        if c.name == "proc_bind" and c.keyword == "primary":
            return "proc_bind(master)"
        return text

    # --- loops ----------------------------------------------------------------------------------------------------

    def _loops(self) -> bool:
        """A loop's `!=` is the comparison in its direction; whether there was one."""
        found = False
        for loop in self._nest():
            test = bare(loop.stmt.condition) if loop.stmt.condition is not None else None
            if not isinstance(test, ast.Binary) or test.op != "!=":
                continue
            left = bare(test.left)
            first = isinstance(left, ast.Name) and left.symbol is loop.symbol
            between = Span(test.left.span.end, test.right.span.start)
            text = self.work.text(self.item, between).replace("!=", "<" if loop.up == first else ">")
            found = self.work.replace(self.item, (between, f" {text} ")) or found
        return found

    def _nest(self) -> tuple[Loop, ...]:
        """The loops that the directive is about."""
        if not LOOP_CONSTRUCTS & set(self.directive.constructs):
            return ()
        try:
            return nest_of(self.directive, self.stmt.body).loops
        except Problem:
            return ()  # who makes the kernel says so, or gcc

    def _refuse(self) -> None:
        d, version = self.directive, self.work.target.version
        for span, what, since in newer_words(d, version):
            clause = next((c for c in d.clauses if c.span.start <= span.start < c.span.end), None)
            if clause is not None and "target" in d.constructs and clause.name in _DONE_CLAUSES:
                continue
            instead = next((f"{step}, or " for word, step in _INSTEAD.items() if f"`{word}`" in what), "")
            why = (
                f"it came with OpenMP {since}, and the compiler there (gcc before version 9) has {version}; "
                f"{instead}install gcc 12 or newer there"
            )
            self.work.refuse(self.item, span, what.replace("`", "'"), why)
