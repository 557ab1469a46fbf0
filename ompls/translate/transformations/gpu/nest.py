"""A loop nest as one counter: how many normalised iterations there are, and the user's counters out of one of them.

The nest counts as a box.  Where an inner loop's bounds depend on an outer counter, its rows have different lengths: the
box is as wide as the longest row, which is at one of the ends because bounds are linear, and the rest of the shorter
rows is left out.  Where teams share two such loops out as they like, `grid.py` leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Sequence

from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Enum, Integer, Pointer
from ompls.translate.ctext import is_vla
from ompls.translate.loops import Loop, Nest
from ompls.translate.precedence import operand
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.emitter import Emitter
from ompls.translate.uses import declared_in


def counts(e: Emitter, nest: Nest) -> str:
    """Declares `ompls_count`, and a count a loop when there are several."""
    loops, kind = nest.loops, nest.kind
    if len(loops) == 1:
        return f"const {kind} ompls_count = {count_of(e, loops[0], kind)};\n"
    names = [f"ompls_count_{x.symbol.name}" for x in loops]
    lines = ""
    for k, loop in enumerate(loops):
        if loop.rows:
            lines += _longest(e, nest, k)
        else:
            lines += f"const {kind} {names[k]} = {count_of(e, loop, kind)};\n"
    return f"{lines}const {kind} ompls_count = {' * '.join(names)};  // collapse({len(loops)})\n"


def count_of(e: Emitter, loop: Loop, kind: str = "long long") -> str:
    """The number of iterations of one loop; where its bounds depend on outer counters, those are in scope."""
    if is_vla(loop.symbol.type):
        why = "it points to arrays of variable length; count them with an integer"
        raise Problem(loop.stmt.span, f"a loop over '{loop.symbol.name}'", why)
    lower, bound = loop.limits(lambda x: _end(e, x), e.cxx)
    return loop.count(lower, bound, kind, step_of(e, loop))


def step_of(e: Emitter, loop: Loop) -> str:
    """The step in the loop's direction."""
    return loop.step_text(e.written(loop.step)) if loop.step else "1"


def _end(e: Emitter, x: ast.Expr) -> str:
    """A bound of a loop as the left operand of + and of comparisons."""
    return operand(e.written(x), "+")


def _longest(e: Emitter, nest: Nest, k: int) -> str:
    """The length of the longest row of loop `k`, and the range of its counter where an inner loop needs it."""
    loop, kind = nest.loops[k], nest.kind
    name = loop.symbol.name
    outer = [x for x in nest.loops[:k] if x.symbol in loop.rows]
    params = ", ".join(e.cxx(x.symbol.type, x.symbol.name) for x in outer)
    out = f"// Rows of `{name}` differ in length: all count as the longest one, and what is missing is left out.\n"
    out += f"const auto ompls_row_{name} = [&]({params}) -> {kind} {{ return {count_of(e, loop, kind)}; }};\n"
    above = " && ".join(f"ompls_count_{x.symbol.name} > 0" for x in nest.loops[:k])
    corners = _corners(e, outer)
    rows = _extreme("ompls_most", [f"ompls_row_{name}({c})" for c in corners])
    out += f"const {kind} ompls_count_{name} = {above} ? {rows} : 0;\n"
    if any(loop.symbol in x.rows for x in nest.loops[k + 1 :]):
        t = e.cxx(loop.symbol.type)
        last = _end(e, loop.bound)
        if loop.op in ("<", ">"):
            last = f"{last} {'-' if loop.up else '+'} 1"
        for end, value in (("from", e.written(loop.lower)), ("to", last)):
            out += f"const auto ompls_{end}_{name} = [&]({params}) -> {t} {{ return {value}; }};\n"
        ends = [f"ompls_{end}_{name}({c})" for end in ("from", "to") for c in corners]
        out += f"const {t} ompls_lowest_{name} = {_extreme('ompls_least', ends)};\n"
        out += f"const {t} ompls_highest_{name} = {_extreme('ompls_most', ends)};\n"
    return out


def _corners(e: Emitter, outer: list[Loop]) -> list[str]:
    """The arguments of a row at the ends of the outer counters: a linear function is largest at one of them."""
    corners = [""]
    for loop in outer:
        if loop.rows:
            ends = [f"ompls_lowest_{loop.symbol.name}", f"ompls_highest_{loop.symbol.name}"]
        else:
            last = _value(e, loop, f"ompls_count_{loop.symbol.name} - 1", e.cxx(loop.symbol.type))
            ends = [e.written(loop.lower), last]
        corners = [f"{c}, {x}" if c else x for c in corners for x in ends]
    return corners


def _extreme(function: str, values: list[str]) -> str:
    out = values[-1]
    for v in reversed(values[:-1]):
        out = f"{function}({v}, {out})"
    return out


def counters(e: Emitter, nest: Nest, absent: str = "continue") -> str:
    """The user's counters from `ompls_it`: mixed radix, innermost fastest; `absent` what rows lack."""
    out = _digits(nest.loops, nest.kind, "ompls_it")
    for loop in nest.loops:
        if loop.rows:
            name = loop.symbol.name
            row = ", ".join(x.name for x in loop.rows)
            out += f"if (ompls_at_{name} >= ompls_row_{name}({row})) {absent};  // this row of `{name}` is shorter\n"
        out += counter(e, loop, "ompls_it" if len(nest.loops) == 1 else f"ompls_at_{loop.symbol.name}", nest.kind)
    return out + private_counters(e, nest)


def iterations(e: Emitter, nest: Nest, mine: str) -> tuple[str, str]:
    """(text before the body, text after it): a loop over the iterations of the range `mine`."""
    *outer, inmost = nest.loops
    kind, step = nest.kind, advance("ompls_it", mine, nest.kind, small=nest.small)
    if not outer or not nest.rectangular:
        head = f"for ({kind} ompls_it = {mine}.begin; ompls_it < {mine}.end; {step}) {{\n"
        return head + counters(e, nest), "\n}\n"
    # Row by row: what divides is done once for each, and the outer counters stay the same in the inner loop.
    count = f"ompls_count_{inmost.symbol.name}"
    out = f"for ({kind} ompls_it = {mine}.begin; ompls_it < {mine}.end;) {{\n"
    out += f"const {kind} ompls_row = ompls_quotient(ompls_it, {count}), ompls_start = ompls_row * {count};\n"
    out += f"const {kind} ompls_row_end = ompls_least(ompls_start + {count}, {mine}.end);\n"
    out += _digits(outer, kind, "ompls_row")
    for loop in outer:
        out += counter(e, loop, "ompls_row" if len(outer) == 1 else f"ompls_at_{loop.symbol.name}", kind)
    out += f"for (; ompls_it < ompls_row_end; {step}) {{\n"
    return out + counter(e, inmost, "ompls_it - ompls_start", kind) + private_counters(e, nest), "\n}\n}\n"


def advance(it: str, mine: str, kind: str, *, small: bool) -> str:
    """The step of a loop over the iterations of the range `mine`; `small`: a stride can be added to any of them."""
    return f"{it} += {mine}.stride" if small or kind == "long long" else f"{it} = ompls_next({mine}, {it})"


def counter(e: Emitter, loop: Loop, part: str, kind: str) -> str:
    """The user's counter in normalised iteration `part`, a number of type `kind`."""
    return f"{e.cxx(loop.symbol.type, loop.symbol.name)} = {_value(e, loop, part, kind)};\n"


def private_counters(e: Emitter, nest: Nest) -> str:
    """The counters of loops that one thread runs as they are."""
    own = declared_in(nest.body)
    return "".join(f"{e.cxx(s.type, s.name)};  // private\n" for s in nest.inner if s not in own)


def _digits(loops: Sequence[Loop], kind: str, rest: str) -> str:
    """`ompls_at_x` for each of several loops from the number `rest`; one division a loop."""
    out = ""
    for loop in reversed(loops[1:]):
        name, count = loop.symbol.name, f"ompls_count_{loop.symbol.name}"
        out += f"const {kind} ompls_rest_{name} = ompls_quotient({rest}, {count});\n"
        out += f"const {kind} ompls_at_{name} = {rest} - ompls_rest_{name} * {count};\n"
        rest = f"ompls_rest_{name}"
    return out + (f"const {kind} ompls_at_{loops[0].symbol.name} = {rest};\n" if len(loops) > 1 else "")


def _value(e: Emitter, loop: Loop, part: str, kind: str) -> str:
    """The counter's value in normalised iteration `part`, a number of type `kind`."""
    step, lower = step_of(e, loop), _end(e, loop.lower)
    scaled = f"({part})" if " - " in part else part
    alone = lower == "0" and loop.up and step == "1"  # the declaration converts it
    if alone and not isinstance(loop.symbol.type, Enum):
        return part
    scaled = _cast(e, loop, kind) + scaled + _times(step)
    return scaled if lower == "0" and loop.up else f"{lower} {'+' if loop.up else '-'} {scaled}"


def _cast(e: Emitter, loop: Loop, kind: str = "") -> str:
    """What makes a number of iterations one that is added to the counter's lower end."""
    if isinstance(loop.symbol.type, Pointer):
        return ""
    if loop.wraps:  # signed it would overflow; the result is right when the counter's type takes it
        return "" if kind == "unsigned int" else "(unsigned int)"
    return f"({e.cxx(loop.symbol.type)})"


def final(e: Emitter, nest: Nest, loop: Loop) -> str:
    """The counter's value after the whole nest, in the thread that ran its last iteration."""
    if not nest.rectangular:
        return f"ompls_end_{loop.symbol.name}"
    lower, step, count = _end(e, loop.lower), step_of(e, loop), operand(count_of(e, loop), "cast")
    plain = count.isdigit() and step == "1" and isinstance(loop.symbol.type, Integer)
    distance = f"{'' if plain else _cast(e, loop)}{count}{_times(step)}"
    return distance if lower == "0" and loop.up else f"{lower} {'+' if loop.up else '-'} {distance}"


def _times(step: str) -> str:
    return "" if step == "1" else f" * {operand(step, '*', right=True)}"
