"""What the front end itself noticed, as diagnostics: text that is no C, a pragma without its end, a missing header.

The rules of these names in `rules/` are their manual pages; `rules.report` selects, silences and weighs them.  With a
missing header, or a line that is too much to expand, a syntax error is only a hint: an unknown macro looks like one.
So it is near what compilers take and the grammar does not, and in a variant that may be for another device.
"""

from __future__ import annotations

import re

from ompls.analysis.diagnostic import Diagnostic, Related, Severity
from ompls.analysis.model.tu import TU
from ompls.analysis.noteids import IDS
from ompls.analysis.patterns import later
from ompls.analysis.source import Location

UNTRANSLATABLE = "untranslatable-construct"  # what the translator refuses; nothing of the analysis itself says it
_DIRECTIVE = later(rb"^[ \t]*#[ \t]*(?:include|define|ifdef|ifndef|if|pragma)\b", re.MULTILINE)
_DECLARATION = later(
    rb"^[ \t]*(?:(?:static|extern|const|inline|unsigned|signed|long|short|struct|union|enum|typedef)\s+\w+"
    rb"|int|void|char|float|double|size_t|bool)\s[\w \t*]*[;={(\[]",
    re.MULTILINE,
)
# Functions as before C89, transactions, address spaces, `a[i, j]`, and names that C23 has made keywords.
_OLD_OR_RARE = later(
    rb"^\w[\w \t*]*\(\s*\w+(?:\s*,\s*\w+)*\s*\)\s*(?:\w[\w \t*,\[\]]*;\s*)+\{"
    rb"|\b__transaction_\w+|\b__seg_[fg]s\b|\[[^\]\n;\"%]*,[^\]\n;\"%]*\]|\b(?:true|false)\s*=[^=]",
    re.MULTILINE,
)
_NEAR = 300
_MOST = 20  # a text that is not C at all has thousands


def diagnostics(tu: TU) -> list[Diagnostic]:
    """At most twenty and those of limits, in the order of their places; of several at one place the first, which says
    most."""
    headers = not any(note.hides for note in tu.notes)
    found: list[Diagnostic] = []
    starts: list[int] = []
    ordered = sorted(tu.notes, key=lambda note: note.start)
    variants = tu.begun_variants() if ordered else []

    def is_rare(at: int) -> bool:
        return _is_rare(tu, at) or any(item.start <= at < item.end for item in variants)

    for note in [*ordered[:_MOST], *(note for note in ordered[_MOST:] if note.kind == "budget")]:
        certain = headers and (note.kind == "pragma" or (note.kind == "parse" and not is_rare(note.start)))
        severity: Severity = "warning" if certain else "hint"
        if found and found[-1].rule == IDS[note.kind] and starts[-1] == note.start:
            continue
        starts.append(note.start)
        where = tu.map.location(note.start, max(note.end, note.start + 1))
        macros = tuple(Related(at, f"it comes from macro `{name}`") for name, at in reversed(tu.map.macros(note.start)))
        found.append(Diagnostic(IDS[note.kind], severity, note.message, where, macros))
    return found


def _is_rare(tu: TU, at: int) -> bool:
    """Whether what the grammar does not know stands around the place."""
    return _OLD_OR_RARE.search(tu.expanded, max(0, at - _NEAR), at + _NEAR) is not None


def unfinished(tu: TU) -> Diagnostic:
    """There was no time for all rules: said once, at the first line."""
    end = tu.source.find(b"\n")
    where = Location(tu.path, 0, end if end >= 0 else len(tu.source))
    message = "there was no time for everything: parts of this file were looked at by the rules for single words only"
    return Diagnostic(IDS["budget"], "hint", message, where)


def too_large(path: str, limit: int) -> Diagnostic:
    """The file has more bytes than the setting allows: said once, at its beginning."""
    message = f"the file is not analysed: it has more than {limit:,} bytes (`ompls.diagnostics.maxFileSize`)"
    return Diagnostic(IDS["budget"], "hint", message, Location(path, 0, 0))


def is_c(tu: TU) -> bool:
    """Whether the text can be meant as C: something in it was understood or looks like it, or nothing was wrong."""
    if not any(note.kind == "parse" for note in tu.notes) or any(not item.content.tainted for item in tu.items):
        return True
    return bool(_DIRECTIVE.search(tu.source) or _DECLARATION.search(tu.source))


def without_variants(tu: TU) -> bytes:
    """The source for compilers that do not know `begin declare variant`: the functions there, which have the names of
    others, are blanks."""
    text = bytearray(tu.source)
    for item in tu.begun_variants():
        where = tu.map.location(item.start, item.end)
        if where.path == tu.path:
            text[where.start : where.end] = re.sub(rb"[^\n]", b" ", text[where.start : where.end])
    return bytes(text)
