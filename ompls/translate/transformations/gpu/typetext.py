"""The user's declarations of types as C++ means them.

C knows no scope of a struct: a tag or an enumerator that is declared inside of one is known outside.  A const
member makes a struct of C++ one that must be initialized; an array of no length is no member at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ompls.analysis.encoding import encoded
from ompls.analysis.model.ast import Span
from ompls.analysis.model.datamodel import LP64, DataModel
from ompls.analysis.model.layout import alignof
from ompls.analysis.syntax import attributes
from ompls.translate.definitions import closing, defined, quieted
from ompls.translate.problem import Problem
from ompls.translate.typetexts import TypeText

_FLEXIBLE = re.compile(
    r"(?P<of>[A-Za-z_][^;{}]*?)\b\w+\s*\[\s*\]\s*(?P<said>__attribute(?:__)?\s*\([^;{}]*\))?\s*;\s*\}"
)


def as_cxx(declared: TypeText, model: DataModel = LP64) -> str:
    """A declaration of types with what is nested in it and has a name in front of it; members are not const.

    Raises Problem for attributes that C++ does not have in the same way.
    """
    refuse_other_types(declared)
    return _written(declared.text, {name: alignof(t, model) for name, t in declared.named})


def refuse_other_types(declared: TypeText) -> None:
    """Raises Problem for attributes that make other types."""
    if attributes.changes_type(_attributes(declared.text)):
        why = "kernels may lay it out otherwise than the host; give it a type of the same size without attributes"
        span = Span(declared.at, declared.at + 1) if declared.item else None
        what = f"the attribute of '{' '.join(declared.text.split('{', maxsplit=1)[0].split())}'"
        raise Problem(span, what, why, declared.item)


def _written(text: str, aligned: Mapping[str, int | None]) -> str:
    if re.match(r"\s*(?:typedef\s+)?enum\b", text) or not defined(text):
        return text
    hoisted: list[str] = []
    while (x := next((x for x in defined(text)[1:] if x.tag or x.kind == "enum"), None)) is not None:
        first = re.match(r"\s*(\w+)", text[x.opening + 1 :])
        tag = x.tag or f"ompls_enum_{first.group(1) if first else ''}"
        head = text[x.start : x.opening].rstrip() + (" " if x.tag else f" {tag} ")
        hoisted.append(_written(f"{head}{text[x.opening : x.end]};", aligned))
        text = f"{text[: x.start]}{x.kind} {tag}{text[x.end :]}"
    return "\n".join([*hoisted, _bounded(_mutable(text), aligned)])


def _attributes(text: str) -> bytes:
    return attributes.in_text(encoded(text)) if "attribute" in text or "[[" in text else b""


def _bounded(text: str, known: Mapping[str, int | None]) -> str:
    """Without a flexible array member, but as aligned as with it; `Dialect` writes what refers to one.

    NVIDIA's compilers take an alignment that is less than the other members' for that of all.
    """
    m = _FLEXIBLE.search(text)
    if not m:
        return text
    of = next(x for x in defined(text) if x.end == m.end())
    said = _attributes(f"{text[of.start : of.opening]} {m['of']} {m['said'] or ''}")
    number = known.get(f"{of.kind} {of.tag}") if of.tag else next(iter(known.values()), None)
    least = number or f"_Alignof({m['of'].strip()})"
    aligned = "" if attributes.is_packed(said) else f" __attribute__((aligned({least})))"
    return f"{text[: of.named]}{aligned}{text[of.named : m.start()]}}}{text[m.end() :]}"


def _mutable(text: str) -> str:
    """Without `const` of members themselves; what a member points to keeps it."""
    bare = quieted(text.encode("latin-1", "replace"))
    quiet, opening = bare.decode("latin-1"), defined(text)[0].opening
    for m in reversed(list(re.finditer(r"[^;{}]+;", quiet[opening : closing(bare, opening)]))):
        member = m.group()
        after = member.rfind("*") + 1  # 0: no pointer
        if "(" in member and after:
            continue
        for c in reversed(list(re.finditer(r"\bconst\b\s?", member[after:]))):
            start = opening + m.start() + after + c.start()
            text = text[:start] + text[start + len(c.group()) :]
    return text
