"""What the server itself says of code actions, tokens and inlay hints: their names, and a hint as it is.

The server answers `initialize` without the analysis, which its workers import meanwhile: so this imports none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompls.server.convert import Json

if TYPE_CHECKING:
    from lsprotocol import types

FIX_ALL = "source.fixAll.ompls"
QUICK_FIX = "quickfix"
REWRITE = "refactor.rewrite"
SHOW = "ompls.show"

TOKEN_TYPES = {
    "sentinel": "macro",
    "directive": "keyword",
    "clause": "function",
    "modifier": "modifier",
    "variable": "variable",
    "function": "function",
    "member": "property",
    "macro": "macro",
    "number": "number",
    "string": "string",
}
LEGEND = list(dict.fromkeys(TOKEN_TYPES.values()))


def unresolved(hint: types.InlayHint) -> Json:
    """The hint as it is."""
    answer: Json = {
        "position": {"line": hint.position.line, "character": hint.position.character},
        "label": hint.label if isinstance(hint.label, str) else "".join(part.value for part in hint.label),
        "paddingLeft": True,
    }
    if hint.tooltip is not None and not isinstance(hint.tooltip, str):
        answer["tooltip"] = {"kind": "markdown", "value": hint.tooltip.value}
    return answer
