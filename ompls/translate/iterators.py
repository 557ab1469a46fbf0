"""Iterators of a clause (OpenMP 5.2 §3.2.6): `iterator(int i = 0:n, j = 0:m:2)` as loops of the host."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ompls.analysis.model.omp import Clause
from ompls.translate.problem import Problem

_ITERATORS = re.compile(r"iterator\s*\((.*)\)\s*$", re.S)
_ITERATOR = re.compile(r"\s*(.*?)\b([A-Za-z_]\w*)\s*=(.*)$", re.S)


@dataclass(frozen=True)
class Iterator:
    """One iterator; `begin`, `count` and `step` are host C text."""

    type: str
    name: str
    begin: str
    count: str
    step: str


def iterators_of(clause: Clause) -> list[Iterator]:
    """The iterators of a clause's modifier, outermost first.  Raises Problem."""
    out = []
    for text in (m.group(1) for m in map(_ITERATORS.match, clause.modifiers) if m):
        for part in split_outside(text, ","):
            m = _ITERATOR.match(part)
            bounds = split_outside(m.group(3), ":") if m else []
            if m is None or len(bounds) not in (2, 3) or "?" in part:
                raise Problem(clause.span, f"iterator({text})", "it could not be read as iterators")
            begin, end, step = (*(f"({b.strip()})" for b in bounds), "(1)")[:3]
            forward = f"({end} - {begin} + {step} - 1) / {step}"
            back = f"({begin} - {end} - {step} - 1) / -{step}"
            up, down = f"{end} > {begin} ? (long long)({forward}) : 0", f"{end} < {begin} ? (long long)({back}) : 0"
            count = f"{step} > 0 ? ({up}) : ({down})"
            out.append(Iterator(m.group(1).strip() or "int", m.group(2), begin, count, step))
    return out


def looped(iterators: list[Iterator], counts: list[str], own: str, body: str) -> str:
    """`body` for every combination; counts -- C expressions, evaluated in every round; own -- makes names unique."""
    text = ""
    for i, it in enumerate(iterators):
        k = f"__ompls_k_{own}_{i}"
        text += f"{{ long long {k}; for ({k} = 0; {k} < {counts[i]}; {k}++) {{ "
        text += f"{it.type} {it.name} = ({it.type})(({it.begin}) + {k} * ({it.step})); "
    return text + body + " } }" * len(iterators)


def split_outside(text: str, at: str) -> list[str]:
    """`text` cut at a character outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == at and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts
