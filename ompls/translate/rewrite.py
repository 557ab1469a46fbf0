"""Text edits that keep everything they do not touch, and know where every line came from.

A `Rewriter` works on one text.  `replace(span, *parts)` says what stands for a span: strings, and spans of the same
text, which are rendered with the edits inside them.  Edits nest; two that overlap without nesting are our bug.
Rendering gives `Chunk`s, which `Lines` turns into text with a source line for every line.
Nothing in here knows C beyond comments and literals (`reindent`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TypeAlias

from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import FunctionDef, Span
from ompls.analysis.model.sema import FUNCTION_NAMES
from ompls.analysis.steps import Steps, found_in

Part: TypeAlias = str | Span

# Comments and literals of C; a comment to the end of the line goes on behind a backslash.
NO_CODE = r"""//(?:\\[ \t\r]*\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
_SKIP = re.compile(NO_CODE, re.S)
_SPLICE = re.compile(r"\\[ \t\r]*\n")
_LINE_END = re.compile(r"[ \t\r]*\n")
_PRAGMA = re.compile(r"[ \t]*#[ \t]*pragma\b")


@dataclass(frozen=True)
class Chunk:
    """A piece of output.  `source` is its offset in the text (verbatim), or that of what it was generated for."""

    text: str
    source: int
    verbatim: bool


@dataclass
class _Edit:
    start: int
    end: int
    parts: tuple[Part, ...]
    inner: list[_Edit] = field(default_factory=list)


class Rewriter:
    """Collects edits of `text`, which may be of any bytes, and renders spans of it."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._edits: list[_Edit] = []
        self._tree: list[_Edit] | None = None

    def replace(self, span: Span, *parts: Part) -> None:
        """Let `parts` stand for `span`.  Of two edits of the same span the later one is inside the earlier one."""
        self._edits.append(_Edit(span.start, span.end, parts))
        self._tree = None

    def render(self, span: Span) -> list[Chunk]:
        """`span` with all edits that lie in it.  ValueError: one lies partly in it."""
        return with_line_ends(list(found_in(self._render(span.start, span.end, self._nested()))))

    def string(self, span: Span) -> str:
        return "".join(c.text for c in self.render(span))

    def _nested(self) -> list[_Edit]:
        if self._tree is None:
            roots: list[_Edit] = []
            stack: list[_Edit] = []
            for e in self._edits:
                e.inner = []
            for e in sorted(self._edits, key=lambda e: (e.start, -e.end)):
                while stack and stack[-1].end <= e.start and not (e.start == e.end == stack[-1].end):
                    stack.pop()
                if stack and e.end > stack[-1].end:
                    raise ValueError(f"edits overlap: {stack[-1].start}..{stack[-1].end} and {e.start}..{e.end}")
                (stack[-1].inner if stack else roots).append(e)
                stack.append(e)
            self._tree = roots
        return self._tree

    def _render(self, start: int, end: int, edits: list[_Edit]) -> Steps[Chunk]:
        at = start
        for e in edits:
            if e.end <= start and not (e.start == e.end == start):
                continue
            if e.start >= end and not (e.start == e.end == end):
                break
            if e.start <= start and end <= e.end and (e.start, e.end) != (start, end):
                yield self._render(start, end, e.inner)  # the span asked for lies inside this edit
                return
            if e.start < start or end < e.end:
                raise ValueError(f"{start}..{end} is asked for, which an edit crosses: {e.start}..{e.end}")
            yield from self._copy(at, e.start)
            for part in e.parts:
                if isinstance(part, Span):
                    yield self._render(part.start, part.end, e.inner)
                elif part:
                    yield Chunk(part, e.start, False)
            at = e.end
        yield from self._copy(at, end)

    def _copy(self, start: int, end: int) -> Iterator[Chunk]:
        if start < end:
            yield Chunk(decoded(self.text[start:end]), start, True)


def name_function(rw: Rewriter, item: ast.Node | None, region: ast.Node) -> None:
    """In the code of a region the name of the function is that of the user's, `item`, not the kernel's."""
    for n in ast.nodes(region):
        if isinstance(n, ast.Name) and n.name in FUNCTION_NAMES and n.symbol is None and isinstance(item, FunctionDef):
            rw.replace(n.span, f'"{item.symbol.name}"')


def with_line_ends(chunks: list[Chunk]) -> list[Chunk]:
    """Wherever the user's lines end, what is put in swallows nothing: no comment what follows it, no text a pragma."""
    out: list[Chunk] = []
    for chunk, after in zip_longest(chunks, chunks[1:]):
        out.append(chunk)
        following = after.text if after is not None else ""
        comment = not chunk.verbatim and _open(chunk.text) and not _LINE_END.match(following)
        pragma = _PRAGMA.match(following) and chunk.text.rstrip(" \t")[-1:] not in ("", "\n")
        if comment or pragma:
            out.append(Chunk("\n", chunk.source, False))
    return out


def joined(chunks: list[Chunk]) -> str:
    return "".join(c.text for c in with_line_ends(chunks))


def _open(text: str) -> bool:
    """Whether `text` ends inside a comment that goes on to the end of the line."""
    last = list(_SKIP.finditer(text))[-1:] if "//" in text else []
    return any(m.end() == len(text) and m.group().startswith("//") for m in last)


@dataclass(frozen=True)
class Line:
    text: str
    source: int | None  # offset in the source text, None: stands for nothing there


# Lowered text has to stay on the user's line (`lowering/edits.py`); in a kernel it reads better on lines of its own.
BREAK = " \v"
# Lines of C end at line feeds only: a form feed or U+2028 may stand in a literal or a comment.
_LINE = re.compile(rf"[^\n]*?(?:\n|{BREAK})|[^\n]+")


def lines_of(chunks: list[Chunk]) -> list[Line]:
    """Chunks as lines.  A line's source is that of the first verbatim character on it, else what it was made for."""
    out: list[Line] = []
    text = ""
    verbatim: int | None = None
    made: int | None = None
    for chunk in chunks:
        offset = chunk.source
        for piece in _LINE.findall(chunk.text):
            body = piece.rstrip("\r\n\v")
            stripped = body.lstrip()
            if stripped and chunk.verbatim and verbatim is None:
                verbatim = offset + len(encoded(body[: len(body) - len(stripped)]))
            elif stripped and made is None:
                made = chunk.source
            text += body
            if piece.endswith(("\n", BREAK)):
                out.append(Line(text.rstrip(), verbatim if verbatim is not None else made))
                text, verbatim, made = "", None, None
            if chunk.verbatim:
                offset += len(encoded(piece))
    if text.strip():
        out.append(Line(text.rstrip(), verbatim if verbatim is not None else made))
    return out


def trimmed(chunks: list[Chunk]) -> list[Chunk]:
    """Without the blank rest of the line that an opening brace stood on, and the blanks before a closing one."""
    if chunks and chunks[-1].verbatim:
        last = chunks[-1]
        chunks = [*chunks[:-1], Chunk(last.text.rstrip(), last.source, True)]
    if chunks and chunks[0].verbatim:
        text = chunks[0].text
        short = re.sub(r"\A[ \t]*\r?\n", "", text)
        cut = len(encoded(text)) - len(encoded(short))
        return [Chunk(short, chunks[0].source + cut, True), *chunks[1:]]
    return chunks


def spliced(text: str) -> str:
    """C text without the line ends that a backslash takes away."""
    return _SPLICE.sub("", text) if "\\" in text else text


def without_comments(text: str) -> str:
    """C text with a blank for each comment."""
    return _SKIP.sub(lambda m: " " if m.group().startswith("/") else m.group(), text)


def reindent(lines: list[Line], width: int = 4) -> list[Line]:
    """The lines indented by their braces: what came from different depths reads as one function.

    Unbraced bodies and continued statements go one step deeper; lines inside a comment move with its first line.
    """
    out: list[Line] = []
    braces: list[tuple[int, int]] = []  # for each open brace: how much deeper its contents stand, parentheses before it
    hanging, parens = 0, 0
    shift: int | None = None  # inside a comment of several lines
    for line in lines:
        raw = line.text
        stripped = raw.lstrip()
        if shift is not None:
            indent = len(raw) - len(stripped)
            out.append(Line((" " * max(0, indent + shift) + stripped).rstrip(), line.source))
            if "*/" in stripped:
                shift = None
            continue
        if not stripped or stripped.startswith("#"):
            out.append(Line(stripped, line.source))
            continue
        code = _SKIP.sub(" ", stripped)
        opened = code.find("/*")
        code = (code[:opened] if opened >= 0 else code).strip()
        if code.startswith("{"):
            hanging = max(0, hanging - 1)
        closing = re.match(r"[}\s]*", code)
        closes = closing.group().count("}") if closing else 0
        for _ in range(closes):
            hanging, parens = braces.pop() if braces else (1, 0)
            hanging -= 1
        level = sum(b[0] for b in braces) + hanging + (1 if parens and not closes else 0)
        if code.startswith(("case ", "default:")) or re.match(r"[A-Za-z_]\w*\s*:(?!:)", code):
            level -= 1
        new = " " * (width * max(0, level)) + stripped
        out.append(Line(new, line.source))
        if opened >= 0:
            shift = (len(new) - len(stripped)) - (len(raw) - len(stripped))
        for c in code[closing.end() if closing else 0 :]:
            if c == "{":
                braces.append((hanging + 1, parens))
                hanging = parens = 0
            elif c == "}":
                hanging, parens = braces.pop() if braces else (1, 0)
                hanging -= 1
            elif c in "()":
                parens = max(0, parens + (1 if c == "(" else -1))
        if code and not parens:
            ended = code[-1] in ";}:"
            if ended:
                hanging = 0
            elif code[-1] != "{":
                hanging += 1 if hanging == 0 or code[-1] == ")" or _opens(code) else 0
    return out


def _opens(code: str) -> bool:
    return code.endswith(("else", "do"))
