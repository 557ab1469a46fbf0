"""Cuts the parse text into chunks: one external declaration each, as far as braces and semicolons tell.

Each chunk is parsed on its own, so that a broken one harms no other and a known one needs no parser.  A chunk can begin
wherever a line begins at the margin; whether it does depends on what was open before that line.  That is a step of a
small automaton over the text from one such line to the next, and steps are remembered.

The cut is a function of the text alone.  A brace that is never closed would make everything after it one chunk; then
every line that looks like the head of a function begins a chunk, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ompls.analysis.patterns import later
from ompls.analysis.syntax.stretch import Stretch, Stretches

_MARGIN = later(rb"\n(?=\S)")  # `^` would be tried at each byte
# A line that begins a function (or another declaration) for every reader: at the margin, a type before the name.
HEAD = later(
    rb"^(?!(?:return|else|goto|case|if|for|while|do|switch|default|sizeof)\b)"
    rb"(?:[A-Za-z_]\w*[ \t]+|[A-Za-z_]\w*[ \t]*\*+[ \t]*)+[*A-Za-z_]\w*[ \t]*\([^;{\n]*(?:\{[^\n]*)?$",
    re.M,
)
_SIGNIFICANT = later(
    rb"""(?P<block>/\*.*?(?:\*/|(?P<open>\Z)))
    |(?P<line>//(?:[^\\\n]|\\[ \t\f\v]*\r?(?P<spliced>\n\Z)|\\[ \t\f\v]*\r?\n|\\)*)
    |"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?
    |[{};]|[^\s{};"'/]+|/""",
    re.S | re.X,
)
_SPLICED = later(rb"(?:[^\\\n]|\\[ \t\f\v]*\r?(?P<spliced>\n\Z)|\\[ \t\f\v]*\r?\n|\\)*")
_OLD_STYLE = later(rb"\)\s*(?!__attribute)[A-Za-z_]")  # `int f(a) int a;`: parameters before the body
_FUNCTION_ENDS = ord("F")  # stands for the brace that ends a function's body
_BODY_AFTER = frozenset(b");]F")
_KEEP = 2_000  # steps: texts of many groups; all of a large file's would be megabytes, and stretches know their own


class _State(NamedTuple):
    """What is open: braces, whether the outermost is a function's body, a comment ('b' block, 'l' spliced line), and
    the last significant byte outside of braces (0: the chunk has not begun)."""

    depth: int = 0
    body: bool = False
    comment: str = ""
    last: int = 0

    @property
    def complete(self) -> bool:
        return not self.depth and not self.comment and self.last in (ord(";"), _FUNCTION_ENDS)


class _Step(NamedTuple):
    """What a stretch does: the state after it, and the offsets of its first and after its last significant byte."""

    state: _State
    complete: bool
    first: int
    last: int


_START = _State()
_PARAMETERS = _State(last=ord(";"))


class Splitter:
    """Cuts the versions of a text.  `split` gives the same for a text whatever was cut before."""

    def __init__(self) -> None:
        self._steps: dict[_State, dict[bytes, _Step]] = {}
        self._states: dict[_State, _State] = {_START: _START}
        self._heads: dict[bytes, bool] = {}
        self._made = 0

    def groups(self, stretches: Sequence[tuple[int, Stretch]], known: Stretches) -> list[tuple[int, Stretch]]:
        """The stretches joined so far that no chunk reaches from one into the next; their `chunks` are known.

        All chunks together are those that `split` gives for the whole text.
        """
        groups: list[tuple[int, Stretch]] = []
        begin, parts, state = 0, list[Stretch](), _START
        for x, stretch in _at_margins(stretches, known):
            if parts and state is _START:
                groups.append((begin, self._whole(parts[0] if len(parts) == 1 else known.join(parts))))
                parts = []
            if not parts:
                begin = x
            parts.append(stretch)
            after = stretch.steps.get(state)
            if after is None:
                after = self._walk(stretch.parsed, state)
                if after is None:
                    return [(0, self._whole(known.join([stretch for _, stretch in stretches])))]
                stretch.steps[state] = after
            state = after
        if parts:
            groups.append((begin, self._whole(known.join(parts))))
        return groups

    def _whole(self, stretch: Stretch) -> Stretch:
        if stretch.chunks is None:
            stretch.chunks = self.split(stretch.parsed)
        return stretch

    def _walk(self, text: bytes, state: _State) -> _State | None:
        """The state after `text`; None when that may depend on chunks before it (`_old_style`)."""
        for stretch in _cut_at(text, _margins(text)):
            if not (state.depth or state.last) and stretch[:1] == b"{":
                return None
            step = self._table(state).get(stretch) or self._step(state, stretch)
            state = _START if step.complete else step.state
        return state

    def split(self, text: bytes) -> list[tuple[int, int]]:
        """[start, end) of each chunk, in order, from its first to its last significant byte."""
        if self._made > _KEEP + len(text) // 10:
            self._steps, self._heads, self._made = {}, {}, 0
        starts = _margins(text)
        chunks: list[tuple[int, int]] = []
        unclosed = self._cut(text, starts, 0, chunks, False)
        if unclosed < len(starts):
            self._cut(text, starts, unclosed, chunks, True)
        return chunks

    def _cut(self, text: bytes, starts: list[int], at: int, chunks: list[tuple[int, int]], at_heads: bool) -> int:
        """Cut from the stretch number `at` on; the number of the stretch where a chunk begins that never closes its
        braces (unless heads end it)."""
        begin = end = first_stretch = -1
        state, table = _START, self._table(_START)
        begun = table
        for number in range(at, len(starts)):
            start = starts[number]
            stretch = text[start : starts[number + 1]] if number + 1 < len(starts) else text[start:]
            if at_heads and state.depth and self._is_head(stretch):
                chunks.append((begin, end))
                begin, state, table = -1, _START, begun
            elif begin < 0 and chunks and stretch[:1] == b"{":
                begin = self._old_style(text, chunks)
                if begin >= 0:
                    state, first_stretch = _PARAMETERS, number
                    table = self._table(state)
            step = table.get(stretch) or self._step(state, stretch)
            if step.first >= 0:
                if begin < 0:
                    begin, first_stretch = start + step.first, number
                end = start + step.last
            if step.complete:
                chunks.append((begin, end))
                begin, state, table = -1, _START, begun
            elif step.state is not state:
                state = step.state
                table = self._table(state)
        if begin >= 0:
            if state.depth and not at_heads and first_stretch >= 0:
                return first_stretch
            chunks.append((begin, end))
        return len(starts)

    @staticmethod
    def _old_style(text: bytes, chunks: list[tuple[int, int]]) -> int:
        """Where the function begins whose body comes next, after its parameters' declarations; -1: there is none."""
        for back in range(1, min(len(chunks), 40) + 1):
            start, end = chunks[-back]
            if text[end - 1 : end] != b";":
                return -1
            if _OLD_STYLE.search(text, start, end):
                del chunks[-back:]
                return start
        return -1

    def _table(self, state: _State) -> dict[bytes, _Step]:
        return self._steps.setdefault(state, {})

    def _is_head(self, stretch: bytes) -> bool:
        known = self._heads.get(stretch)
        if known is None:
            self._made += 1
            known = self._heads[stretch] = HEAD.match(stretch) is not None
        return known

    def _step(self, before: _State, stretch: bytes) -> _Step:
        self._made += 1
        step = _step(before, stretch)
        # equal states are one object, so that a step that changes nothing is seen at once
        same = self._states.setdefault(step.state, step.state)
        step = self._steps[before][stretch] = step._replace(state=same)
        return step


def _margins(text: bytes) -> list[int]:
    """Where the lines begin at which the text may be cut: those at the margin, and the first."""
    return [0, *[m.end() for m in _MARGIN.finditer(text)]]


def _cut_at(text: bytes, starts: list[int]) -> Iterator[bytes]:
    for number, start in enumerate(starts):
        yield text[start : starts[number + 1]] if number + 1 < len(starts) else text[start:]


def _at_margins(stretches: Iterable[tuple[int, Stretch]], known: Stretches) -> Iterator[tuple[int, Stretch]]:
    """The stretches, joined so far that each but the first begins at the margin."""
    begin, parts = 0, list[Stretch]()
    for x, stretch in stretches:
        if parts and stretch.at_margin and parts[-1].text.endswith(b"\n"):
            yield begin, parts[0] if len(parts) == 1 else known.join(parts)
            parts = []
        if not parts:
            begin = x
        parts.append(stretch)
    if parts:
        yield begin, known.join(parts)


def _step(before: _State, text: bytes) -> _Step:
    depth, body, comment, last = before
    first = stop = -1
    at = 0
    if comment:
        at, comment = _rest_of_comment(text, comment)
    for m in _SIGNIFICANT.finditer(text, at):
        if m.lastgroup is not None:
            comment = "b" if m.group("open") is not None else "l" if m.group("spliced") is not None else ""
            continue
        first, stop = (m.start() if first < 0 else first), m.end()
        token = m.group()
        if token == b"{":
            if not depth:
                body = last in _BODY_AFTER
            depth += 1
        elif token == b"}":
            ends = depth <= 1 and (body or not depth)
            depth = max(0, depth - 1)
            last = _FUNCTION_ENDS if ends else last if depth else token[0]
        elif not depth:
            last = token[-1]
    state = _State(depth, body and depth > 0, comment, last)
    return _Step(state, state.complete, first, stop)


def _rest_of_comment(text: bytes, comment: str) -> tuple[int, str]:
    """Where the comment ends that is open at the start of `text`, and the comment that is open there."""
    if comment == "b":
        end = text.find(b"*/")
        return (len(text), "b") if end < 0 else (end + 2, "")
    m = _SPLICED.match(text)
    assert m is not None
    return m.end(), "l" if m.group("spliced") is not None else ""
