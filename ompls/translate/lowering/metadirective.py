"""`metadirective` (OpenMP 5.2 §7.4): the directive that it stands for on this target.

What is known when the program is translated chooses; a condition that is not becomes an `if` around copies of the
statement: the copy that may become a kernel is the user's own text, the others stand on the line of the pragma.
"""

from __future__ import annotations

from ompls.analysis.model import ast
from ompls.analysis.model.ast import DirectiveStmt, Span, Stmt
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import Item
from ompls.analysis.spec import DIRECTIVES
from ompls.translate.lowering.context import Place, match
from ompls.translate.lowering.round import Round, directive_text, pragma, with_outer

Choice = tuple[str, Directive | None]  # a condition, '' for always; None: no directive


def lower(work: Round) -> None:
    for item in work.items("metadirectives"):
        if not any(_meta(s.directive) for s in item.content.directives):
            continue
        for node, outer in with_outer(item.content.node):
            children = node.children()
            for k, child in enumerate(children):
                if isinstance(child, DirectiveStmt) and _meta(child.directive) is not None:
                    inside = [*outer, *([node.directive] if isinstance(node, DirectiveStmt) else [])]
                    after = children[k + 1 :] if isinstance(node, ast.Compound) else []
                    _metadirective(work, item, child, inside, after)
        # What could not be read as C has its directives only in the list.
    for f in work.tu.directives:
        meta = _meta(f.directive)
        if meta is not None and f.directive.meta is not None:
            choices = _choose(work, None, meta, [])
            text = directive_text(work.tu, f, choices[-1][1]) if choices[-1][1] is not None else ""
            work.replace(f, (f.directive.span, pragma(text)))


def _meta(d: Directive) -> Directive | None:
    return d.meta if d.meta is not None else d if d.name in ("metadirective", "begin metadirective") else None


def _metadirective(work: Round, item: Item, stmt: DirectiveStmt, outer: list[Directive], after: list[ast.Node]) -> None:
    meta = _meta(stmt.directive)
    assert meta is not None
    if not meta.variants:
        work.refuse(item, meta.span, "'metadirective'", "a selector or a directive of it could not be read")
        return
    choices = _choose(work, item, meta, outer)
    begins = meta.name == "begin metadirective"
    end = _end(after) if begins else None
    if begins and end is None:
        work.refuse(item, meta.span, "'begin metadirective'", "there is no 'end metadirective' in the same block")
        return
    bodies = [stmt.body] if stmt.body is not None else [x for x in after if isinstance(x, Stmt)]
    if begins and stmt.body is None:
        bodies = bodies[: bodies.index(end)]  # type: ignore[arg-type]
    elif not begins:
        bodies = bodies[:1]
    may_take = any(DIRECTIVES[v.directive.name].kind in ("block", "loop") for v in meta.variants)
    if not may_take:
        bodies = []
    if may_take and not bodies:
        work.refuse(item, meta.span, "'metadirective'", "there is no statement after it")
        return
    body = Span(bodies[0].span.start, bodies[-1].span.end) if bodies else None
    braces = begins and (len(bodies) != 1 or not isinstance(bodies[0], (ast.Compound, ast.For)))
    closing = [(end.span, "}" if braces else "")] if end is not None else []
    if len(choices) == 1:
        text = _pragma(work, item, choices[0][1]) + ("{" if braces else "")
        work.replace(item, (meta.span, text), *closing)
        return
    if body is None:
        text = "".join(_arm(c, _pragma(work, item, d), last=k == len(choices) - 1) for k, (c, d) in enumerate(choices))
        work.replace(item, (meta.span, "{ " + text + " }"))
        return
    unique = _only_once(bodies)
    if unique is not None:
        what = "a label" if isinstance(unique, ast.Labeled) else "a static variable"
        why = f"which directive it is is known when the program runs, and {what} in its statement cannot be there twice"
        work.refuse(item, meta.span, "'metadirective'", why)
        return
    own = next((k for k, (_, d) in enumerate(choices) if d is not None and d.has("target")), len(choices) - 1)
    copy = work.text(item, body)
    copy = f"{{ {copy} }}" if braces else copy
    opening, close = _branches([(c, _pragma(work, item, d), copy) for c, d in choices], own)
    opening += "{" if braces else ""
    edits = [(meta.span, opening)]
    if end is not None:
        edits.append((end.span, ("}" if braces else "") + close))
    else:
        edits.append((Span(body.end, body.end), close))
    work.replace(item, *edits)


def _branches(arms: list[tuple[str, str, str]], own: int) -> tuple[str, str]:
    """What comes before and after the user's statement, which is that of arm `own`: (condition, pragma, statement)."""
    text = "{ "
    for condition, directive, statement in arms[:own]:
        text += f"if ({condition}) {{ {directive}{statement} }} else "
    if arms[own][0]:
        text += f"if (!({arms[own][0]})) {{ "
        for condition, directive, statement in arms[own + 1 :]:
            body = f"{{ {directive}{statement} }}"
            text += f"if ({condition}) {body} else " if condition else f"{body} "
        text += "} else "
    return text + "{ " + arms[own][1], " } }"


def _arm(condition: str, directive: str, *, last: bool) -> str:
    if not condition:
        return f"{{ {directive}}}"
    return f"if ({condition}) {{ {directive}}}" + ("" if last else " else ")


def _pragma(work: Round, item: Item, d: Directive | None) -> str:
    return pragma(directive_text(work.tu, item, d)) if d is not None else ""


def _choose(work: Round, item: Item | None, meta: Directive, outer: list[Directive]) -> list[Choice]:
    """The variants that may apply, best first; the last one is without a condition."""
    place = Place(work.target, ()) if item is None else work.place(item, outer)
    found: list[tuple[int, str, Directive]] = []
    other: Directive | None = None
    for v in meta.variants:
        if not v.traits:
            other = v.directive
            continue
        m = match(work.tu, v.traits, place)
        if m is not None:
            found.append((m.score, m.condition, v.directive))
    found.sort(key=lambda x: -x[0])
    out: list[Choice] = []
    for _, condition, directive in found:
        out.append((condition, directive if directive.name != "nothing" else None))
        if not condition:
            return out
    return [*out, ("", None if other is None or other.name == "nothing" else other)]


def _end(after: list[ast.Node]) -> DirectiveStmt | None:
    """The `end metadirective` that belongs to a `begin metadirective` before `after`."""
    depth = 0
    for x in after:
        if isinstance(x, DirectiveStmt):
            if x.directive.meta is not None and x.directive.meta.name == "begin metadirective":
                depth += 1
            elif x.directive.name == "end metadirective":
                if not depth:
                    return x
                depth -= 1
    return None


def _only_once(bodies: list[Stmt]) -> ast.Node | None:
    """What may not be in a program twice: a label, a static variable."""
    for b in bodies:
        for n in b.walk():
            if isinstance(n, ast.Labeled) or (isinstance(n, ast.VarDecl) and n.symbol.storage == "static"):
                return n
    return None
