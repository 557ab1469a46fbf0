"""Types under `#pragma pack`: kernels would lay them out otherwise than the host, so they are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ompls.analysis.encoding import decoded
from ompls.translate.needs import Needs
from ompls.translate.problem import Problem

_PACK = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+pack[ \t]*\(([^)\n]*)\)", re.M)


def packed_parts(texts: Iterable[bytes]) -> list[str]:
    """The pieces of files in which a pragma changes the layout of structs, without white space."""
    return [re.sub(r"\s+", "", packed) for text in texts if b"pack" in text for packed in _packed(decoded(text))]


def refuse_packed(packed: list[str], needs: Needs) -> None:
    """Raises Problem when a type of a kernel stands in one of these parts of the program."""
    for bare in packed:
        for t in needs.types:
            body = re.sub(r"\s+", "", t[t.find("{") :])[:-1] if "{" in t else ""
            if body and body in bare:
                why = "kernels lay structs out without it; use __attribute__((packed)) on the type"
                raise Problem(None, f"'{t.split('{')[0].strip()}' under '#pragma pack'", why)


def _packed(text: str) -> Iterator[str]:
    stack: list[bool] = []
    now, since = False, 0
    for m in _PACK.finditer(text):
        if now:
            yield text[since : m.start()]
        words = [w.strip() for w in m.group(1).split(",")]
        if "pop" in words:
            now = stack.pop() if stack else False
        else:
            if "push" in words:
                stack.append(now)
            now = any(w.isdigit() for w in words) or (now and words == ["push"])
        since = m.end()
    if now:
        yield text[since:]
