"""Clauses and directives that gcc 12 does not know, where another spelling means the same or a hint may be dropped.

Each entry of a table is a word of OpenMP newer than gcc's with what stands for it.  What changes the program more than
by a word (copies of variables, statements before the construct) is in `shapes.py`.
"""

from __future__ import annotations

import re

from ompls.analysis.encoding import decoded
from ompls.analysis.model.grouped import groups_tasks
from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.model.tu import FileDirective, Item
from ompls.analysis.spec import DIRECTIVES
from ompls.translate.graphs.recordable import graph_of, is_of_graph
from ompls.translate.lowering.edits import on_one_line
from ompls.translate.lowering.round import Round, directive_text, pragma

# Constructs that say something about their statement, and nothing has to be done about it (6.0 §10.6, §14.11).
_WITHOUT_EFFECT = frozenset(("assume", "assumes", "begin assumes", "end assumes", "nothing"))

# Clauses that permit or promise something; OpenMP without them is still right (directive '' : any).
_HINTS = frozenset((
    "safesync", "device_safesync", "memscope", "threadset", "replayable", "transparent", "graph_id", "graph_reset",
    "message", "severity",
))  # fmt: skip
_KEEP_HINTS = frozenset(("error",))  # where `message` and `severity` are what it is about
_CONDITIONAL = frozenset(
    ("nowait", "nogroup", "untied", "mergeable")
)  # with an argument since 6.0; fewer is right, too
_DATA = frozenset(("target", "target data", "target enter data", "target exit data", "target update"))
_LEAVES = frozenset(word for name in DIRECTIVES for word in DIRECTIVES[name].constructs)


def lower(work: Round) -> None:
    for item in work.items("spelling"):
        recorded = _recorded(work, item)
        for stmt in item.content.directives:
            if stmt.directive.meta is None:
                _directive(work, item, stmt.directive, recorded=id(stmt) in recorded)
    for f in work.tu.directives:
        if f.directive.meta is None:
            _directive(work, f, f.directive)


def _recorded(work: Round, item: Item) -> set[int]:
    """The ids of the statements of task graphs that are recorded: the host file is about them."""
    if work.target.version:
        return set()
    graphs = [graph_of(work.tu, item, s) for s in item.content.directives if s.directive.name == "taskgraph"]
    if any(graphs):
        work.ask_again()  # it depends on the rest of the file
    return {x for g in graphs if g is not None for x in (id(g.stmt), *g.nodes)}


def _directive(work: Round, item: Item | FileDirective, d: Directive, *, recorded: bool = False) -> None:
    if not d.known or (recorded and d.name == "taskgraph"):
        return
    if d.name in _WITHOUT_EFFECT:
        work.replace(item, (d.span, ""))
        return
    if d.name == "taskgraph":  # not recorded; where a value decides whether to wait, waiting is right
        work.replace(item, (d.span, "" if groups_tasks(d) is False else pragma("omp taskgroup")))
        return
    written = decoded(work.tu.expanded[item.start + d.name_span.start : item.start + d.name_span.end])
    changed = "_" in written and "_" not in d.name  # a name as OpenMP 6.0 writes it
    clauses: list[str] = []
    for c in d.clauses:
        text = on_one_line(decoded(work.tu.expanded[item.start + c.span.start : item.start + c.span.end]))
        new = text if recorded and is_of_graph(c) else _clause(d, c, text, gcc=work.target.openmp)
        changed = changed or new != text
        if new:
            clauses.append(new)
    if changed:
        name = directive_text(work.tu, item, _bare(d))
        work.replace(item, (d.span, pragma(" ".join([name, *clauses]))))


def _bare(d: Directive) -> Directive:
    return Directive(d.name, d.constructs, d.span, d.name_span, (), args=d.args)


def _clause(d: Directive, c: Clause, text: str, *, gcc: bool) -> str:
    """The clause for gcc; '' when it goes without."""
    text = _without_directive_name(d, c, text)
    if d.constructs == ("target",) and c.name in ("shared", "default", "priority"):
        return _of_a_task(d, c)
    if not gcc:
        return text
    if c.name in _HINTS and d.name not in _KEEP_HINTS:
        return ""
    if c.name in _CONDITIONAL and c.text:
        return ""
    if c.name == "depend" and c.keyword == "inoutset" and not _DATA & {d.name, *d.constructs}:
        return re.sub(r"\binoutset\b", "inout", text, count=1)  # one after the other is right, too
    if c.name == "doacross":
        return _doacross(c, text)
    if c.name == "linear":
        return _linear(text)
    if c.name == "init" and d.name == "depobj":
        return "depend" + text[len("init") :]
    if c.name == "destroy" and d.name == "depobj":
        return "destroy"  # its argument repeats the directive's
    if c.name == "allocate" and d.name == "scope":
        return ""
    if c.name == "num_threads":
        return re.sub(r"\(\s*strict\s*:", "(", text)
    if c.name == "firstprivate":
        return re.sub(r"\(\s*saved\s*:", "(", text)
    return text


def _of_a_task(d: Directive, c: Clause) -> str:
    """A target construct has the clauses of a task since 6.0; what a region shares with its host is mapped."""
    if c.name == "default":
        kinds = {"shared": "tofrom", "none": "none", "firstprivate": "firstprivate", "private": "private"}
        return f"defaultmap({kinds.get(c.keyword, 'default')})"
    mapped = {i.text for m in d.all("map") for i in m.items}
    shared = [i.text for i in c.items if i.text not in mapped] if c.name == "shared" else []
    return f"map(tofrom: {', '.join(shared)})" if shared else ""


def _without_directive_name(d: Directive, c: Clause, text: str) -> str:
    """Without a directive-name modifier (6.0 §5.4) that says what is so anyway.

    A clause of a combined construct holds for every construct in it that takes it: the result is the same, but for a
    copy of the target construct alone, which `shapes.py` has taken away before.
    """
    if c.name == "if" or not set(c.modifiers) & _LEAVES or (c.name == "reduction" and "task" in c.modifiers):
        return text
    names = "|".join(sorted(map(re.escape, set(c.modifiers) & _LEAVES), key=len, reverse=True))
    if c.name in ("private", "firstprivate") and "target" in c.modifiers and len(d.constructs) > 1:
        return text
    return re.sub(rf"\(\s*(?:{names})\s*[:,]\s*", "(", text, count=1)


def _doacross(c: Clause, text: str) -> str:
    inner = c.text.replace("omp_cur_iteration", "").strip()
    kind, _, vector = inner.partition(":")
    if kind.strip() == "source":
        return "depend(source)"
    return f"depend(sink: {vector.strip()})" if vector.strip() and "omp_cur_iteration" not in c.text else text


def _linear(text: str) -> str:
    """`linear(x: val, step(2))` as `linear(val(x): 2)`."""
    m = re.match(r"linear\s*\((.*):([^:]*)\)\s*$", text, re.S)
    if m is None:
        return text
    modifiers = m.group(2)
    kind = re.search(r"\b(val|ref|uval)\b", modifiers)
    step = re.search(r"\bstep\s*\((.*)\)", modifiers, re.S)
    if kind is None and step is None:
        return text
    items = f"{kind.group(1)}({m.group(1).strip()})" if kind else m.group(1).strip()
    return f"linear({items}: {step.group(1).strip()})" if step else f"linear({items})"
