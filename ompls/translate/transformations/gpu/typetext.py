"""The user's declarations of types as C++ means them.

C knows no scope of a struct: a tag or an enumerator that is declared inside of one is known outside.  A const
member makes a struct of C++ one that must be initialized; an array of no length is no member at all.
"""

from __future__ import annotations

import re

from ompls.analysis.encoding import encoded
from ompls.analysis.syntax import attributes
from ompls.translate.problem import Problem
from ompls.translate.rewrite import NO_CODE

_QUIET = re.compile(NO_CODE, re.S)
_NESTED = re.compile(r"\b(struct|union|enum)\b(\s*__attribute__\s*\(\(.*?\)\))?\s*([A-Za-z_]\w*)?\s*\{", re.S)


def as_cxx(text: str) -> str:
    """A declaration of types with what is nested in it and has a name in front of it; members are not const.

    Raises Problem for attributes that C++ does not have in the same way.
    """
    said = attributes.in_text(encoded(text)) if "attribute" in text or "[[" in text else b""
    if attributes.changes_type(said) or (attributes.is_packed(said) and re.search(r"\benum\b[^;{}]*\{", text)):
        why = "kernels may lay it out otherwise than the host; give it a type of the same size without attributes"
        raise Problem(None, f"the attribute of '{' '.join(text.split('{', maxsplit=1)[0].split())}'", why)
    quiet = _QUIET.sub(lambda m: " " * len(m.group()), text)
    opening = quiet.find("{")
    if opening < 0 or re.match(r"\s*(?:typedef\s+)?enum\b", quiet):
        return text
    hoisted: list[str] = []
    for m in reversed(list(_NESTED.finditer(quiet, opening))):
        end = _closing(quiet, m.end() - 1)
        kind, tag = m.group(1), m.group(3)
        if not tag and kind != "enum":
            continue
        first = re.match(r"\s*(\w+)", quiet[m.end() :])
        tag = tag or f"ompls_enum_{first.group(1) if first else ''}"
        body, attribute = text[m.end() - 1 : end], m.group(2) or ""
        hoisted.insert(0, as_cxx(f"{kind}{attribute} {tag} {body};"))
        text = f"{text[: m.start()]}{kind} {tag}{text[end:]}"
        quiet = f"{quiet[: m.start()]}{kind} {tag}{quiet[end:]}"
    return "\n".join([*hoisted, _bounded(_mutable(text, quiet, opening))])


def _bounded(text: str) -> str:
    """Without a flexible array member, but as aligned as with it; `Dialect` writes what refers to one."""
    m = re.search(r"([A-Za-z_][^;{}]*?)\b(\w+)\s*\[\s*\]\s*;\s*\}", text)
    if not m:
        return text
    return f"{text[: m.start()]}}} __attribute__((aligned(_Alignof({m[1].strip()})))){text[m.end() :]}"


def _closing(text: str, opening: int) -> int:
    """The offset behind the brace that closes the one at `opening`."""
    depth = 0
    for k in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[k], 0)
        if not depth:
            return k + 1
    return len(text)


def _mutable(text: str, quiet: str, opening: int) -> str:
    """Without `const` of members themselves; what a member points to keeps it."""
    end = _closing(quiet, opening)
    for m in reversed(list(re.finditer(r"[^;{}]+;", quiet[opening:end]))):
        member = m.group()
        after = member.rfind("*") + 1  # 0: no pointer
        if "(" in member and after:
            continue
        for c in reversed(list(re.finditer(r"\bconst\b\s?", member[after:]))):
            start = opening + m.start() + after + c.start()
            text = text[:start] + text[start + len(c.group()) :]
    return text
