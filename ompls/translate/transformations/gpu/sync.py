"""Constructs that order or restrict the threads of a team: barrier, single, masked, critical, sections, tasks, …"""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span
from ompls.analysis.model.omp import Clause, Directive
from ompls.translate.clauses import allocators_used
from ompls.translate.problem import Problem
from ompls.translate.rewrite import Part
from ompls.translate.transformations.gpu.data import Data, assign, data_inside
from ompls.translate.transformations.gpu.emitter import Emitter, Level, inner, transformation

# Leaf constructs that let some threads of the team run their block.
CHOOSING = frozenset(("sections", "single", "masked", "master"))


@transformation("barrier")
def barrier(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    e.replace(s.span, "ompls_barrier();")


@transformation("flush")
def flush(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    e.replace(s.span, "__threadfence();")


@transformation("allocate")
def allocate(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """Where the variables stand is the device's choice: every allocator may give its default memory."""
    align = s.directive.clause("align")
    if align is not None:
        raise Problem(align.span, f"align({align.text})", "write _Alignas in the declaration")
    e.replace(s.span, f";  // allocate({', '.join(i.text for i in s.directive.args)}): the variable's own memory\n")


# `traits(t): allocator` (5.2) or `allocator(t)` (5.0).
def allocators(chain: list[Directive]) -> list[str]:
    """What makes a region's own allocators of `uses_allocators` (OpenMP 6.0 section 8.8); others are there."""
    out = []
    for c in (c for d in chain for c in d.all("uses_allocators")):
        for _, name, traits in allocators_used(c.text):
            if name.startswith("omp_"):
                continue
            made = "OMPLS_ALLOCATOR + 16ul"
            if traits:
                made = f"ompls_allocator(sizeof {traits} / sizeof {traits}[0], {traits})"
            out.append(f"{name} = ompls_handle{{{made}}};  // uses_allocators")
    return out


@transformation("taskwait", "taskyield", "nothing", "assumes", "declare reduction", "declare target")
def nothing(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """Tasks run at once, so there is nothing to wait for."""
    e.replace(s.span, ";")


@transformation("cancel", "cancellation point")
def cancel(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """Without effect: cancellation is active only where cancel-var is true (OpenMP 5.2 §16.1); here it never is."""
    condition = s.directive.clause("if")
    call = f"(void)({e.text(condition.args[-1])});" if condition and condition.args else ";"
    e.replace(s.span, f"{call}  // {s.directive.name}: nothing is cancelled where cancel-var is false\n")


@transformation("error")
def error(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """At execution: a message, and the end of the program unless it is a warning.  The rest is the compiler's."""
    d = s.directive
    at, severity, message = d.clause("at"), d.clause("severity"), d.clause("message")
    if at is None or _word(at) != "execution":
        e.replace(s.span, ";")
        return
    fatal = severity is None or _word(severity) != "warning"
    text = e.text(message.args[0]) if message and message.args else '"error directive encountered"'
    e.replace(s.span, f"ompls_error({int(fatal)}, __FILE__, __LINE__, {text});")


def _word(clause: Clause) -> str:
    return clause.keyword or clause.text.strip()


@transformation("taskgroup", "assume", "scope")
def block(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """The statement itself (with the barrier that ends a `scope`)."""
    data = data_inside(e, s.directive, level, s.body)
    e.visit(s.body, level)
    ends = "ompls_barrier();\n" if s.directive.constructs[0] == "scope" and not s.directive.clause("nowait") else ""
    e.replace(s.span, "{\n", data.opening(), _block(e, s), "\n", data.closing(), ends, "}")


@transformation("task")
def task(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """An undeferred task: the thread that meets it runs it at once."""
    data = data_inside(e, s.directive, level, s.body, team=False)
    e.visit(s.body, level)
    e.replace(s.span, "{  // task, run at once\n", data.opening(), _block(e, s), "\n", data.closing(), "}")


@transformation("single", "master", "masked", "sections")
def some_threads(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """What only some threads of the team run, with the copies that the clauses ask for, and the barrier at the end."""
    d = s.directive
    data = data_inside(e, d, level, s.body)
    parts = chosen(e, d, s.body, level, data)
    copied = "".join(
        f"ompls_broadcast(&{i.text}, sizeof {i.text});  // copyprivate: from the thread that ran the block\n"
        for c in d.all("copyprivate") for i in c.items
    )  # fmt: skip
    waits = d.constructs[0] in ("single", "sections") and not d.clause("nowait") and not copied
    barrier = "ompls_barrier();\n" if waits else ""
    e.replace(s.span, "{\n", data.opening(), *parts, data.closing(), copied, barrier, "}")


def chosen(e: Emitter, d: Directive, body: ast.Stmt | None, level: Level, data: Data) -> list[Part]:
    """The body of `d`, run by the threads that its `sections`, `single` or `masked` leaf construct chooses; also of a
    combined construct.  Its private copies stand around it."""
    if d.has("sections"):
        return _sections(e, d, body, level, data)
    e.visit(body, level)
    content: list[Part] = [inner(body, e.names_copied(d)), "\n"]
    if d.has("masked") or d.has("master"):
        wanted = d.clause("filter")
        thread = clause_text(e, wanted) or "0"
    elif d.has("single"):
        thread = "0"
    else:
        return content
    name = next(c for c in d.constructs if c in ("masked", "master", "single"))
    return [f"if (omp_get_thread_num() == {thread}) {{  // {name}\n", *content, "}\n"]


def clause_text(e: Emitter, clause: Clause | None) -> str:
    """The clause's expression, in parentheses unless it is a number or a name; "" without one."""
    if clause is None or not clause.args:
        return ""
    text = e.text(clause.args[-1])
    return text if text.replace("_", "a").isalnum() else f"({text})"


@transformation("critical")
def critical(e: Emitter, s: DirectiveStmt, level: Level) -> None:
    """One lock a name; the lambda is run by one thread after the other."""
    name = s.directive.args[0].text if s.directive.args else ""
    e.locks.add(name)
    e.visit(s.body, level)
    e.replace(s.span, f"ompls_critical(&{lock(name)}, [&] {{\n", inner(s.body), "\n});")


def _block(e: Emitter, s: DirectiveStmt) -> Span:
    return inner(s.body, e.names_copied(s.directive))


def lock(name: str) -> str:
    return f"ompls_lock_{name}" if name else "ompls_lock"


def _sections(e: Emitter, d: Directive, body: ast.Stmt | None, level: Level, data: Data) -> list[Part]:
    """Sections are dealt to different warps first, which run at the same time (Jetson paper section 3.2)."""
    if not isinstance(body, ast.Compound):
        raise Problem(d.span, "sections", "it needs a block of sections")
    taken = e.names_copied(d)
    parts: list[Part] = []
    sections = _grouped(body)
    for k, item in enumerate(sections):
        for statement in item:
            e.visit(statement, level)
        parts.append(f"if (ompls_runs_section({k})) {{  // section {k}\n")
        parts += [x for statement in item for x in (inner(statement, taken), "\n")]
        if k == len(sections) - 1:  # lastprivate: values of the section that is the last one in the text
            parts += [f"{assign(e, target, s)}\n" for target, s in data.last]
        parts.append("}\n")
    return parts


def _grouped(block: ast.Compound) -> list[list[ast.Stmt]]:
    """The statements of each section; those before the first `section` directive are one, too."""
    out: list[list[ast.Stmt]] = []
    explicit = False
    for item in block.items:
        if isinstance(item, DirectiveStmt) and item.directive.name == "section":
            explicit = True
            out.append([item.body] if item.body is not None else [])
        elif explicit or not out:
            out.append([item])
        else:
            out[0].append(item)
    return out
