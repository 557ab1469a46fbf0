"""Comments that silence rules: what a text has of them, what they cover, and the edits that add or remove one.

    // ompls: ignore[rule, group]        on its own line and on the next one
    // ompls: ignore-file[rule, group]   in the whole file, wherever it stands
    // ompls: ignore-begin[rule] … // ompls: ignore-end[rule]

A pragma (or any line) that is continued with a backslash counts as one line.  Nothing here knows which rules exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ompls.analysis.changed import changed
from ompls.analysis.patterns import later
from ompls.analysis.source import Location

_MARK = later(rb"ompls:[ \t]*ignore(-file|-begin|-end)?[ \t]*\[([^\]\n]*)\]")
_NAME = later(rb"[^\s,]+")
_TOKEN = later(rb"""//|/\*(?:.*?\*/)?|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?""")
_BOM = b"\xef\xbb\xbf"
_SIGN = b"ompls:"
_unmarked = [b""]  # the last text without it

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Suppression:
    """One name in such a comment.  All offsets are bytes of the text.

    names  -- where the name stands (for a block: at its begin and at its end)
    covers -- a diagnostic that starts in here is silenced
    """

    name: str
    names: tuple[Range, ...]
    covers: Range


def suppressions(text: bytes) -> tuple[Suppression, ...]:
    """The suppressions of `text`, in order.  An end without its begin is none; a begin without its end goes on."""
    return _suppressions(text) if _marked(text) else ()


def _marked(text: bytes) -> bool:
    """Whether `text` may hold one.  This is asked at each key, and few texts have any."""
    before, after = changed(_unmarked[0], text)
    near = len(_SIGN) - 1
    marked = text.rfind(_SIGN, max(0, before - near), len(text) - max(0, after - near)) >= 0  # sooner than by `in`
    if not marked:
        _unmarked[0] = text
    return marked


@lru_cache(maxsize=4)  # it keeps the texts: an editor has a new one at every key
def _suppressions(text: bytes) -> tuple[Suppression, ...]:
    found: list[Suppression] = []
    opened: dict[str, tuple[int, Range]] = {}  # name -> (offset from which it is covered, where the name stands)
    for mark in _MARK.finditer(text):
        if not _in_comment(text, mark.start()):
            continue
        kind, base = mark.group(1), mark.start(2)
        for word in _NAME.finditer(mark.group(2)):
            name, where = word.group().decode("utf-8", "replace"), (base + word.start(), base + word.end())
            if kind is None:
                found.append(Suppression(name, (where,), _two_lines(text, mark.start(), mark.end())))
            elif kind == b"-file":
                found.append(Suppression(name, (where,), (0, len(text) + 1)))
            elif kind == b"-begin":
                opened.setdefault(name, (mark.start(), where))
            elif name in opened:
                start, begin = opened.pop(name)
                found.append(Suppression(name, (begin, where), (start, mark.end())))
    found += [Suppression(name, (begin,), (start, len(text) + 1)) for name, (start, begin) in opened.items()]
    return tuple(sorted(found, key=lambda s: s.names))


def _in_comment(text: bytes, offset: int) -> bool:
    """Whether `offset` follows a `//` on its line, or a `/*` that is still open."""
    line = text.rfind(b"\n", 0, offset) + 1
    if text.rfind(b"/*", 0, line) > text.rfind(b"*/", 0, offset):
        return True
    return any(token.group() in (b"//", b"/*") for token in _TOKEN.finditer(text[line:offset]))


def _line_start(text: bytes, offset: int) -> int:
    """Where the logical line of `offset` starts."""
    start = text.rfind(b"\n", 0, offset) + 1
    while start and _continues(text, start - 1):
        start = text.rfind(b"\n", 0, start - 1) + 1
    return start


def _line_end(text: bytes, offset: int) -> int:
    """Where the logical line of `offset` ends (at its line feed, or at the end of the text)."""
    end = text.find(b"\n", offset)
    while end >= 0 and _continues(text, end):
        end = text.find(b"\n", end + 1)
    return end if end >= 0 else len(text)


def _continues(text: bytes, line_feed: int) -> bool:
    return text[max(0, line_feed - 2) : line_feed].rstrip(b"\r").endswith(b"\\")


def _two_lines(text: bytes, start: int, end: int) -> Range:
    """The logical lines of a mark, and the one after."""
    last = _line_end(text, end)
    return _line_start(text, start), _line_end(text, min(last + 1, len(text))) + 1


# --- edits ---------------------------------------------------------------------------------------------------------


def added(text: bytes, offset: int, name: str, *, whole_file: bool = False) -> tuple[int, str]:
    """(where to insert, what) so that `name` is silenced at `offset`: into a comment that is there, else a new line."""
    wanted = b"-file" if whole_file else None
    line = _line_start(text, offset)
    for mark in _MARK.finditer(text):
        if mark.group(1) != wanted or not mark.group(2).strip() or not _in_comment(text, mark.start()):
            continue
        first, end = _two_lines(text, mark.start(), mark.end())
        if whole_file or first <= offset < end:
            return mark.end() - 1, f", {name}"
    newline = "\r\n" if text[: text.find(b"\n") + 1].endswith(b"\r\n") else "\n"
    if whole_file:
        return len(_BOM) if text.startswith(_BOM) else 0, f"// ompls: ignore-file[{name}]{newline}"
    code = text[line:]
    if line == 0 and code.startswith(_BOM):
        line, code = len(_BOM), code[len(_BOM) :]
    indent = code[: len(code) - len(code.lstrip(b" \t"))].decode()
    return line, f"{indent}// ompls: ignore[{name}]{newline}"


def removed(text: bytes, gone: Range) -> Range:
    """What to delete so that the name at `gone` is not listed any more.

    With its last name goes the comment (what it says after the mark is its reason), and with that an empty line.
    """
    mark = next(m for m in _MARK.finditer(text) if m.start(2) <= gone[0] < m.end())
    base = mark.start(2)
    names = [(base + w.start(), base + w.end()) for w in _NAME.finditer(mark.group(2))]
    if len(names) > 1:
        at = names.index(gone)
        return (gone[0], names[at + 1][0]) if at + 1 < len(names) else (names[at - 1][1], gone[1])
    return _comment(text, mark.start(), mark.end())


def _comment(text: bytes, start: int, end: int) -> Range:
    """The comment around a mark (the mark alone when something else is said before it), with a line that it empties."""
    line = text.rfind(b"\n", 0, start) + 1
    line_end = text.find(b"\n", end)
    line_end = len(text) if line_end < 0 else line_end
    if text[line:start].rstrip().endswith(b"//"):
        start, end = line + text[line:start].rindex(b"//"), line_end
        end -= text[:end].endswith(b"\r")
    elif text[line:start].rstrip().endswith(b"/*") and 0 <= (close := text.find(b"*/", end)) < line_end:
        start, end = line + text[line:start].rindex(b"/*"), close + 2
    else:
        return start, end
    if not text[line:start].strip(b" \t") and not text[end:line_end].strip():
        return line, min(line_end + 1, len(text))
    while text[start - 1 : start] in (b" ", b"\t") and not text[end:line_end].strip():
        start -= 1
    return start, end


def silenced(marks: Sequence[Suppression], where: Location, names: Sequence[str]) -> list[Suppression]:
    """Those of `marks`, of the file of `where`, that silence a diagnostic with these names (its rule, its group)."""
    return [m for m in marks if m.covers[0] <= where.start < m.covers[1] and m.name in names]
