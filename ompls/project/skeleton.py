"""What the compiler has to see to know the system headers of a translation unit: the directives, nothing else.

The skeleton holds the definitions, conditions and includes of the main file and of the project's headers, in order, up
to the last include.  Before and after each system include stands a mark, so that the compiler's output can be cut into
what each of them gave; a header that does not exist leaves a mark of its own instead of ending the compiler's run.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ompls.analysis.patterns import later
from ompls.analysis.syntax.directive import guard_of
from ompls.analysis.syntax.lexer import decode, internal, logical_end, may_continue, readable
from ompls.analysis.syntax.lines import MAX_INCLUDES
from ompls.analysis.syntax.preprocess import include_key
from ompls.project.files import NOT_REGULAR, is_file
from ompls.project.gcc_options import DIRECTORIES, values

MARK = "@ompls"  # no C token, so no header can produce it
MAX_DEPTH = 60  # of project headers in project headers
MAX_BYTES = 8 << 20  # of project headers in all

_DIRECTIVE = later(
    r"(?:\s|/\*.*?\*/)*(?:\#|%:)[ \t]*(define|undef|include|include_next|import|if|ifdef|ifndef|elif|elifdef|elifndef"
    r"|else|endif|pragma(?=[ \t]+(?:once|push_macro|pop_macro)\b))\b",
    re.S,
)
_OPERAND = later(r'[ \t]*(<[^>\n]*>|"[^"\n]*"|[A-Za-z_]\w*)')
_HAS_INCLUDE = later(r'__has_include(?:_next)?[ \t]*\([ \t]*(<[^>\n]*>|"[^"\n]*")')
_STRING_MACRO = later(r'[ \t]+([A-Za-z_]\w*)[ \t]+(<[^>\n]*>|"[^"\n]*")')
_SYSTEM = ("/usr/include", "/usr/lib", "/usr/local/include", "/usr/local/lib", "/lib", "/opt")


@dataclass(slots=True)
class Skeleton:
    """text -- C source for `gcc -E`; operands -- of the marked includes, by number; texts -- see HeaderSnapshot.

    refused -- operands that the compiler is not asked for, as it might read without end, with the reason
    """

    text: str = ""
    operands: list[str] = field(default_factory=list)
    texts: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    first: tuple[str, ...] = ()  # operands that are included before the main file
    refused: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)  # operands of `__has_include` that are not the project's, by number


@dataclass(frozen=True, slots=True)
class SearchPath:
    """Where includes are looked for (directories, absolute), and what counts as the project's own."""

    quote: tuple[str, ...]
    angle: tuple[str, ...]
    system: tuple[str, ...]
    roots: tuple[str, ...]
    first: tuple[str, ...] = ()  # operands of `-include`

    @staticmethod
    def of(flags: tuple[str, ...], roots: tuple[str, ...]) -> SearchPath:
        system = (*values(flags, "-isystem"), *values(flags, "-idirafter"))
        first = tuple(f'"{value}"' for value in values(flags, "-include"))
        return SearchPath(values(flags, "-iquote"), values(flags, "-I"), system, roots, first)

    def candidates(self, operand: str, including: str) -> list[str]:
        """The paths that the include may mean, best first."""
        name = operand[1:-1]
        directories = list(self.angle)
        if operand.startswith('"'):
            directories = [os.path.dirname(including), *self.quote, *directories]
        return [os.path.normpath(os.path.join(d, name)) for d in directories]

    def endless(self, operand: str, including: str) -> bool:
        """Whether the compiler would find something else than a file: reading that may never end."""
        name = operand[1:-1]
        further = [name] if os.path.isabs(name) else [os.path.join(d, name) for d in self.system]
        kinds = (is_file(path) for path in (*self.candidates(operand, including), *further))
        return next((kind is False for kind in kinds if kind is not None), False)

    def own(self, path: str) -> bool:
        """Whether the file belongs to the project (else the compiler reads it)."""
        inside = any(path.startswith(root.rstrip("/") + "/") for root in self.roots)
        return inside or not any(path.startswith(system + "/") for system in _SYSTEM)


Reader = Callable[[str], "bytes | None"]  # the bytes of a project header, None when there is no such file


def watched(absent: list[str], flags: tuple[str, ...]) -> list[str]:
    """The directories whose modification times change when one of the headers `absent` appears."""
    places = [*values(flags, *DIRECTORIES), *(p for p in _SYSTEM if p.endswith("include"))]
    return sorted({p for place in places for o in absent for p in (place, os.path.dirname(f"{place}/{o[1:-1]}"))})


class Directives:
    """Finds the directives of texts; remembers those of the last few hundred texts, not the texts."""

    def __init__(self) -> None:
        self._known: dict[bytes, list[tuple[str, str]]] = {}  # by the texts' digests

    def of(self, data: bytes) -> list[tuple[str, str]]:
        """(name, logical line) of each directive that can matter to an include."""
        digest = hashlib.blake2b(data, digest_size=16).digest()
        known = self._known.get(digest)
        if known is None:
            if len(self._known) > 300:
                self._known.clear()
            known = self._known[digest] = _directives(decode(data))
        return known


def _directives(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    pos = 0
    while pos < len(text):
        end = text.find("\n", pos)
        end = len(text) if end < 0 else end
        line = text[pos:end]
        if may_continue(line):
            end = logical_end(text, pos)
            line = text[pos:end]
        if "#" in line or "%:" in line:
            match = _DIRECTIVE.match(line)
            if match:
                found.append((match.group(1), line[match.start(1) :]))
        pos = end + 1
    return found


def build(path: str, source: bytes, search: SearchPath, read: Reader, directives: Directives) -> Skeleton:
    """The skeleton of the translation unit `path`."""
    builder = _Builder(search, read, directives)
    for operand in search.first:
        builder.include(path, internal(operand), (), 0)
    builder.file(path, source, ())
    skeleton = builder.skeleton
    skeleton.first = search.first
    lines = builder.lines[: builder.needed]
    depth = 0
    for line in lines:
        depth += line.startswith("#if") - line.startswith("#endif")
    questions = [
        line
        for number, operand in enumerate(skeleton.asked)
        for line in (f"#if __has_include({internal(operand)})", f"{MARK} exists {number}", "#endif")
    ]
    skeleton.text = "\n".join([f"{MARK} start", *lines, *["#endif"] * depth, *questions, ""])
    return skeleton


class _Builder:
    def __init__(self, search: SearchPath, read: Reader, directives: Directives) -> None:
        self.skeleton = Skeleton()
        self.lines: list[str] = []
        self.needed = 0  # lines up to the last include
        self.search = search
        self.read = read
        self.directives = directives
        self.bytes = 0
        self.texts = 0  # of project headers, each as often as it is included
        self.once: set[str] = set()
        self.strings: dict[str, str] = {}  # macros that may name a header

    def file(self, path: str, data: bytes, stack: tuple[str, ...]) -> None:
        depth = 0
        for name, line in self.directives.of(data):
            if name in ("include", "include_next", "import"):
                self.include(path, line[len(name) :], stack, depth)
            elif name == "pragma":
                if "once" in line:
                    if not depth:
                        self.once.add(path)
                else:
                    self.lines.append("#" + line)
            else:
                if name == "define" and (match := _STRING_MACRO.match(line, len(name))):
                    self.strings[match.group(1)] = match.group(2)
                if "__has_include" in line:
                    line = self._has_include(path, line)  # noqa: PLW2901
                depth += name.startswith("if") - (name == "endif")
                if depth < 0:
                    depth = 0  # an #endif too many would close a condition of the includer
                    continue
                self.lines.append("#" + line)
        self.lines.extend(["#endif"] * depth)

    def _has_include(self, path: str, line: str) -> str:
        """Find out about headers that a condition asks for; they may never be included.  The line for the compiler."""
        for operand in _HAS_INCLUDE.findall(line):
            texts, key = self.skeleton.texts, readable(operand)
            for candidate in self.search.candidates(key, path):
                if self.search.own(candidate) and (data := self.read(candidate)) is not None:
                    texts.setdefault(key, (candidate, data))
                    break
            else:
                if self.search.endless(key, path):
                    line = line.replace(operand, f"<{MARK}>")  # it opens what it is asked for
                elif key not in self.skeleton.asked:
                    self.skeleton.asked.append(key)
        return line

    def include(self, path: str, rest: str, stack: tuple[str, ...], depth: int) -> None:
        """An include in the file `path`; `rest` is what stands after the directive's name."""
        match = _OPERAND.match(rest)
        operand = match.group(1) if match else ""
        operand = operand if operand[:1] in '<"' else self.strings.get(operand, "")
        if not operand:
            return
        name = readable(operand)
        for candidate in self.search.candidates(name, path):
            if not self.search.own(candidate):
                continue
            data = self.read(candidate)
            if data is not None:
                self._project(name, candidate, data, including=path, stack=stack, depth=depth)
                return
        number = len(self.skeleton.operands)
        self.skeleton.operands.append(name)
        if self.search.endless(name, path):
            self.skeleton.refused[name] = NOT_REGULAR
            self.lines.append(f"{MARK} missing {number}")
            self.needed = len(self.lines)
            return
        self.lines += [
            f"#if __has_include({operand})", f"{MARK} begin {number}", f"#include {operand}", f"{MARK} end {number}",
            "#else", f"{MARK} missing {number}", "#endif",
        ]  # fmt: skip
        self.needed = len(self.lines)

    def _project(self, key: str, path: str, data: bytes, *, including: str, stack: tuple[str, ...], depth: int) -> None:
        texts = self.skeleton.texts
        if key in texts and texts[key][0] != path:
            key = include_key(key, including)
        texts[key] = (path, data)
        if path in stack or path in self.once or len(stack) > MAX_DEPTH:
            return
        if self.bytes > MAX_BYTES or self.texts > MAX_INCLUDES:
            return
        self.bytes += len(data)
        self.texts += 1
        if not depth and not stack and guard_of(decode(data)):
            self.once.add(path)  # included unconditionally: the guard is defined from here on
        self.file(path, data, (*stack, path))
