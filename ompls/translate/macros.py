"""The user's macros in kernels: `AT(i, j)` as it was written, where that is certain to mean the same.

A kernel is made of expanded text.  An invocation takes the place of its expansion when

* all of the expansion stands in the kernel as it was, nothing in it edited or spelled otherwise for C++;
* the definitions that the kernel file gets, and no others, make the same tokens of it (they are expanded again here);
* these come from the user's own files, and there is one of each name in the file;
* no word that may follow in the file has the name of one.  That is all of the unit's own text and what is generated:
  see `is_harmless`.

Where one of these is not known, the expansion stays.  The host's half is not concerned: it is the user's text anyway.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import zip_longest

from ompls.analysis.encoding import decoded, encoded
from ompls.analysis.model.tu import TU, Item
from ompls.analysis.rules.support.written import spelled
from ompls.analysis.source import Location, Segment
from ompls.analysis.syntax.directive import macro_of, parse_line
from ompls.analysis.syntax.expand import Expander
from ompls.analysis.syntax.lexer import decode, logical_end, pastes, tokenize
from ompls.analysis.syntax.macros import Definition, Runaway
from ompls.translate.ctext import words
from ompls.translate.output import OutLine
from ompls.translate.rewrite import Chunk, joined

_DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b", re.M)
_PLAIN = re.compile(r"[\t\n\r -~]*\Z")  # ASCII
_GAP = re.compile(r"\s*\n\s*")
_SIMPLE = re.compile(r"(?:(?!//|/\*|\\\n)[\t -\"%-~])*\Z")  # ASCII on one line, without comments and directives
_NAME = re.compile(r"\w+")
# What decides how a kernel file is compiled has to be seen in it: casts of pointers, and what changes a layout.
_TELLING = re.compile(r"\*\s*(?:(?:const|volatile|restrict)\s*)*\)|\bunion\b|\btypedef\b|pack")
# What headers that the library includes define, and what generated names begin with.
_OF_HEADERS = re.compile(
    r"(?:U?(?:CHAR|SHRT|INT|LONG|LLONG|LONG_LONG|SIZE|INTMAX|INTPTR|INT\d+|INT_(?:LEAST|FAST)\d+)|S(?:CHAR|SIZE)|"
    r"PTRDIFF|WCHAR|WINT|SIG_ATOMIC|RAND)_(?:MAX|MIN|WIDTH|BIT)|(?:FLT|DBL|LDBL|DECIMAL|M|FP|MATH|CUDA|CU|EXIT|SEEK|MB|L|"
    r"P|SIM|OMPLS|ompls|omp)_\w*|NULL|EOF|BUFSIZ|NAN|SNAN\w*|INFINITY|HUGE\w*|TMP_MAX|F\w*_MAX|\w*_"
)
_WORDS = frozenset(
    """alignas alignof aligned and asm auto bitand bitor bool case catch char class compl const constexpr decltype
    default define defined delete device do double else enum explicit extern false float for friend global goto host if
    inline int launch_bounds location long mutable namespace new noexcept not operator or private protected public
    register return shared short signed sizeof static static_assert struct switch template this throw true try typedef
    typeid typename typeof union unsigned using virtual void volatile weak while xor
    T apply blockDim blockIdx critical gridDim identity iterator mapper memcpy take threadIdx warpSize""".split()  # noqa: SIM905
)


class Definitions:
    """The macros that the files of a unit define, wherever that counts."""

    def __init__(self, tu: TU) -> None:
        self.tu = tu
        self._free: dict[str, bool] = {}

    @cached_property
    def _all(self) -> dict[str, dict[tuple[str, int], Definition]]:
        """By name, then by where the name stands."""
        found: dict[str, dict[tuple[str, int], Definition]] = {}
        inactive: dict[str, list[Location]] = {}
        for where in self.tu.inactive:
            inactive.setdefault(where.path, []).append(where)
        for path, source in {self.tu.path: self.tu.source, **dict(self.tu.headers.values())}.items():
            text, left_out = decode(source), sorted(inactive.get(path, ()))
            for m in _DEFINE.finditer(text):
                before = bisect_right(left_out, m.end(), key=lambda where: where.start) - 1
                if before >= 0 and m.end() < left_out[before].end:
                    continue
                parsed = parse_line(text[m.start() : logical_end(text, m.start())])
                definition, name, _ = macro_of(parsed) if parsed is not None else (None, None, "")
                if definition is not None and name is not None:
                    found.setdefault(definition.name, {})[path, m.start() + name[3]] = definition
        return found

    def has(self, name: str) -> bool:
        """Whether a macro has that name anywhere."""
        return name in self._all

    def of(self, name: str, where: Location | None) -> Definition | None:
        """The one at `where`; None where that is not known, and there are several."""
        known = self._all.get(name, {})
        if where is not None:
            return known.get((where.path, where.start))
        different = {(d.params, d.text): d for d in known.values()}
        return next(iter(different.values())) if len(different) == 1 else None

    def order(self, d: Definition) -> tuple[bool, str, int]:
        """Where it stands first: in headers, then in the main file."""
        places = (at for at, other in self._all[d.name].items() if (other.params, other.text) == (d.params, d.text))
        path, start = min(places)
        return path == self.tu.path, path, start

    def may_be_defined(self, d: Definition) -> bool:
        """Whether nothing else in a kernel file has its name, nor any file that it includes needs it afterwards."""
        if d.name not in self._free:
            tu = self.tu
            self._free[d.name] = not (d.name in tu.symbols or d.name in tu.tags or self._is_word(d.name))
        return self._free[d.name] and is_harmless(d)

    def _is_word(self, name: str) -> bool:
        """Whether it is a word of the unit's text once macros are expanded."""
        return encoded(name) in self.tu.expanded and name in words(decoded(self.tu.expanded))


def is_harmless(d: Definition) -> bool:
    """What is known of it alone.  Of the words in small letters many are generated, but few with `(` after them."""
    small = d.name.islower()
    if not d.name[0].isalpha() or (small and d.params is None) or d.name in _WORDS or _OF_HEADERS.fullmatch(d.name):
        return False
    # `#` and `##` see how arguments are spelled; C++ 14 and C differ in what variable arguments may be.
    return not (d.variadic or "#" in d.text or "%:" in d.text or "_Pragma" in d.text) and bool(_PLAIN.match(d.text))


class Macros:
    """Those of one kernel file.

    taken -- whether a name is one of what the file includes, or stands in what is generated
    same  -- whether C and the language of the kernel spell a text alike
    """

    def __init__(
        self,
        definitions: Definitions,
        taken: Callable[[str], bool] = lambda _: False,
        same: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._tu, self._definitions, self._taken, self._same = definitions.tu, definitions, taken, same
        self._used: dict[str, Definition] = {}
        self._last: tuple[int, int, dict[str, Location | None]] = (0, 0, {})
        self._known: dict[object, dict[str, Definition] | None] = {}  # what `_expands` has given

    def defined(self, lines: Iterable[OutLine]) -> list[OutLine]:
        """The definitions that the file `lines` needs, those first that others use."""
        found = set().union(*(words(x.text) for x in lines)) if self._used else set()
        todo = [d for name, d in self._used.items() if name in found]
        needed = {d.name: d for d in todo}
        while todo:
            inside = [self._used[w] for w in words(todo.pop().text) if w in self._used and w not in needed]
            needed |= {d.name: d for d in inside}
            todo += inside
        return [OutLine(_directive(d)) for d in sorted(needed.values(), key=self._definitions.order)]

    def undefined(self, defined: list[OutLine]) -> list[OutLine]:
        """What takes back the definitions `defined`."""
        return [OutLine(f"#undef {_NAME.findall(x.text)[1]}") for x in defined]

    def written(self, item: Item, chunks: list[Chunk]) -> list[Chunk]:
        """`chunks`, which stand for text of `item`, with the invocations of macros that stand there as a whole."""
        whole = _whole(chunks)
        out: list[Chunk] = []
        for chunk, after in zip_longest(whole, whole[1:]):
            before = out[-1].text if out else ""
            out += self._written(item, chunk, before, after.text if after else "") if chunk.verbatim else [chunk]
        return out

    def operand(self, item: Item, chunks: list[Chunk]) -> str:
        """The same as a text whose words are operands: `N` where it is `8` or `(n + 1)`, not where it is `n + 1`."""
        out: list[Chunk] = []
        for chunk in _whole(chunks):
            out += self._written(item, chunk, "", "", closed=True) if chunk.verbatim else [chunk]
        return joined(out)

    def _written(self, item: Item, chunk: Chunk, before: str, after: str, *, closed: bool = False) -> Iterator[Chunk]:
        data = self._tu.expanded
        at = x = item.start + chunk.source
        end = x + len(encoded(chunk.text))
        while x < end:
            segment = self._tu.map.at(x)
            if segment.kind == "verbatim":
                x = segment.x_end
                continue
            lo, hi, stack = self._invocation(segment)
            if at <= lo and hi <= end and not _in_directive(data, lo):
                left = decoded(data[at:lo]) or before
                right = decoded(data[hi : hi + 1]) if hi < end else after
                text = self._instead(lo, hi, stack, closed)
                made = decoded(data[lo:hi])
                if text and not pastes(left, made) and not pastes(made, right):
                    yield Chunk(decoded(data[at:lo]), at - item.start, True)
                    before = f"{' ' * pastes(left, text)}{text}{' ' * pastes(text, right)}"
                    yield Chunk(before, lo - item.start, False)
                    at = hi
            x = hi
        yield Chunk(decoded(data[at:end]), at - item.start, True)

    def _invocation(self, segment: Segment) -> tuple[int, int, dict[str, Location | None]]:
        """Where the whole expansion stands that `segment` is of, and the macros that it names."""
        if self._last[0] <= segment.x_start < self._last[1]:
            return self._last  # edits cut a long one into many chunks
        lo, hi, stack = segment.x_start, segment.x_end, dict(segment.stack)
        while lo > 0 and _of_one(segment, before := self._tu.map.at(lo - 1)):
            lo, stack = before.x_start, {**dict(before.stack), **stack}
        while _of_one(segment, after := self._tu.map.at(hi)) and after.x_end > hi:
            hi, stack = after.x_end, stack | dict(after.stack)
        self._last = lo, hi, stack
        return self._last

    def _instead(self, lo: int, hi: int, stack: dict[str, Location | None], closed: bool) -> str:
        """The invocation whose expansion is [lo, hi); '' when that has to stay."""
        expansion, found = decoded(self._tu.expanded[lo:hi]), spelled(self._tu, lo, hi)
        text = _GAP.sub(" ", found[1]).strip() if found is not None else ""
        made = [t[1] for t in tokenize(expansion)]
        if not text or not _SIMPLE.match(text + expansion) or _TELLING.search(expansion) or not self._same(expansion):
            return ""
        if closed and len(made) > 1 and not _in_parentheses(made):
            return ""
        key = (text, expansion, tuple(stack.items()))
        if key not in self._known:
            self._known[key] = self._expands(text, made, stack)
        used = self._known[key]
        if used is None or self._used_otherwise(used):
            return ""
        self._used |= used
        return text

    def _expands(self, text: str, made: list[str], stack: dict[str, Location | None]) -> dict[str, Definition] | None:
        """The definitions that make the tokens `made` of `text`, if the file may have them."""
        macros: dict[str, Definition] = {}
        todo = [text]
        while todo:
            for word in words(todo.pop()) - macros.keys():
                d = self._definitions.of(word, stack.get(word))
                if d is not None:
                    macros[word] = d
                    todo.append(d.text)
        expander = Expander(macros, lambda name, at: "")
        try:
            if [t[1] for t in expander.flat(tokenize(text))] != made:
                return None
        except Runaway:
            return None
        used = {name: d for name, d in expander.looked_up.items() if d is not None}
        fit = used and all(self._definitions.may_be_defined(d) and not self._taken(n) for n, d in used.items())
        return used if fit else None

    def _used_otherwise(self, used: dict[str, Definition]) -> bool:
        """Whether the file has another definition of a name."""
        mine = ((d, self._used.get(name, d)) for name, d in used.items())
        return any((a.params, a.text) != (b.params, b.text) for a, b in mine)


def _in_directive(text: bytes, at: int) -> bool:
    """Whether it is a line of which compilers may not expand the macros."""
    return text[text.rfind(b"\n", 0, at) + 1 : at].lstrip().startswith(b"#")


def _whole(chunks: list[Chunk]) -> list[Chunk]:
    """The same text, with what is one stretch of the user's in one chunk."""
    out: list[Chunk] = []
    stretch: list[str] = []
    start = end = -1
    for c in [*chunks, Chunk("", -1, False)]:
        if c.verbatim and c.source == end:
            stretch.append(c.text)
            end += len(encoded(c.text))
            continue
        if stretch:
            out.append(Chunk("".join(stretch), start, True))
            stretch = []
        if c.verbatim:
            stretch, start, end = [c.text], c.source, c.source + len(encoded(c.text))
        else:
            out.append(c)
            end = -1
    return [c for c in out if c.text]


def _of_one(one: Segment, other: Segment) -> bool:
    """Whether two pieces are of one invocation."""
    return one.kind == other.kind and (one.path, one.start, one.end) == (other.path, other.start, other.end)


def _in_parentheses(tokens: list[str]) -> bool:
    """Whether the first parenthesis is closed by the last one."""
    depth = 0
    for k, t in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(t, 0)
        if not depth:
            return k == len(tokens) - 1 and t == ")"
    return False


def _directive(d: Definition) -> str:
    params = "" if d.params is None else f"({', '.join(d.params)})"
    return f"#define {d.name}{params} {d.text}".rstrip()
