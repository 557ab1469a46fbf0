"""gcc's command line, taken apart as far as a compiler driver in front of gcc has to know it.

Nothing is checked here: what is not known goes to gcc as it stands.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ompls.cli.offloading import Offload
from ompls.cli.problem import Problem
from ompls.project.language import foreign

# Options whose value may be the next word (GCC manual, "Option Summary").
_SEPARATE = frozenset(
    """-o -x -I -D -U -l -L -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore
    -isysroot -MF -MT -MQ -Xlinker -Xassembler -Xpreprocessor -T -u -z -e -A -B -wrapper -aux-info --param -G
    -specs -dumpbase -dumpdir -Ttext -Tdata -Tbss -arch""".split()  # noqa: SIM905 - a table of words
)
# These only ask; the words after them do not matter.
_ASKING = ("-print-", "-dumpversion", "-dumpmachine", "-dumpfullversion", "-dumpspecs", "--version", "--help",
           "--target-help", "-###")  # fmt: skip
_LINKING = ("-Wl,", "-Xlinker", "-fuse-ld=", "-static-lib", "-specs=")
_LINKING_WORDS = frozenset(
    """-l -L -T -u -z -e -A -static -shared -rdynamic -pie -no-pie -static-pie -nostdlib -nodefaultlibs -nolibc
    -nostartfiles -r -s""".split()  # noqa: SIM905 - a table of words
)
_DEPENDENCIES = ("-MD", "-MMD", "-MP", "-MG")
_FOR_PREPROCESSOR = ("-D", "-U", "-include", "-imacros")
STDIN = "-"
_SOURCES = (".c", ".i")
_NAMES = {"c++": "C++", "c++-cpp-output": "C++", "f77": "Fortran", "f95": "Fortran"}  # of -x


@dataclass(frozen=True)
class Word:
    """An option with its value, or an input file (`option` is '' then)."""

    option: str
    value: str = ""
    glued: bool = True

    @property
    def words(self) -> list[str]:
        if not self.option:
            return [self.value]
        return [self.option + self.value] if self.glued else [self.option, self.value]


@dataclass
class GccLine:
    """What a command line asks for.

    stage -- '' for linking, else the option that stops earlier: '-c', '-S', '-E', '-fsyntax-only', '-M', '-MM'
    sources -- C files that gcc would compile, in order
    foreign -- files in other languages, and which
    output -- of -o, if given
    openmp -- whether -fopenmp is on
    targets -- of -fopenmp-targets=
    version -- of --openmp=, that of the specification
    offload -- what the options of other compilers say about devices
    asks -- it only asks for information
    """

    line: list[Word] = field(default_factory=list)
    stage: str = ""
    sources: list[str] = field(default_factory=list)
    foreign: list[tuple[str, str]] = field(default_factory=list)
    output: str | None = None
    openmp: bool = False
    targets: str | None = None
    version: str | None = None
    asks: bool = False
    foreign_targets: bool = False  # in another compiler's words: whoever wrote them does not know this machine
    offload: Offload = field(default_factory=Offload)

    def other_words(self) -> list[str]:
        """The command line without the C files; [] when nothing is left that gcc could work on."""
        left = [w for w in self.line if w.option or w.value not in self.sources]
        return [x for w in left for x in w.words] if any(not w.option for w in left) else []

    def compile_words(self, preprocessed: bool = False) -> list[str]:
        """The options for compiling one file, without input, output and what writes dependency files.

        preprocessed -- the file is: what macros and headers there were is in it
        """
        out = ("-o", "-x", "-MF", "-MT", "-MQ", *(_FOR_PREPROCESSOR if preprocessed else ()))
        kept = [w for w in self.line if w.option and not _links(w) and w.option not in out]
        return [x for w in kept if w.option not in (*_DEPENDENCIES, self.stage) for x in w.words]

    def dependency_words(self, target: str) -> list[str]:
        """-MD and the like, for a run of gcc that only writes the file; [] when none is asked for."""
        if not any(w.option in ("-MD", "-MMD") for w in self.line):
            return []
        kept = [w for w in self.line if w.option in (*_DEPENDENCIES, "-MF", "-MT", "-MQ")]
        words = [x for w in kept for x in w.words]
        if not any(w.option in ("-MT", "-MQ") for w in kept):
            words += ["-MQ", target]
        if not any(w.option == "-MF" for w in kept):
            words += ["-MF", str(Path(target).with_suffix(".d"))]
        return words

    def link_words(self, objects: dict[str, str]) -> list[str]:
        """Everything that the link takes, each source replaced by its object."""
        words: list[str] = []
        for w in self.line:
            if not w.option:
                words.append(objects.get(w.value, w.value))
            elif w.option not in ("-o", "-x", "-MF", "-MT", "-MQ", *_DEPENDENCIES):
                words += w.words
        return words


def read(arguments: Sequence[str]) -> GccLine:
    """Take `arguments` (without the compiler's name) apart; response files (@FILE) are read."""
    found = GccLine()
    language = ""
    words = iter(_expanded(arguments))
    for word in words:
        instead = found.offload.take(word, words)
        if instead is not None:
            found.line += [Word(word) for word in instead]
            found.openmp |= found.offload.openmp
            found.version = found.offload.version or found.version
            continue
        item = _word(word, words)
        if item.option == "-fopenmp-targets=":
            found.targets = found.offload.targets(item.value, item.option)
            found.foreign_targets = found.targets != item.value
            continue
        if item.option == "--openmp=":
            found.version = item.value
            continue
        found.line.append(item)
        if not item.option:
            if language in ("c", "cpp-output") or (not language and item.value.endswith(_SOURCES)):
                found.sources.append(item.value)
            elif in_ := _NAMES.get(language, "") if language else foreign(item.value):
                found.foreign.append((item.value, in_))
        elif item.option == "-x":
            language = "" if item.value == "none" else item.value
        elif item.option == "-o":
            found.output = item.value
        elif item.option in ("-c", "-S", "-E", "-fsyntax-only", "-M", "-MM"):
            found.stage = item.option
        elif item.option.startswith("-fopenmp") or item.option == "-fno-openmp":
            found.openmp = item.option in ("-fopenmp", "-fopenmp=libgomp") or (
                found.openmp and item.option != "-fno-openmp"
            )
        elif item.option.startswith(_ASKING):
            found.asks = True
    return found


def _word(word: str, words: Iterator[str]) -> Word:
    if not word.startswith("-") or word == STDIN:
        return Word("", word)
    if word.startswith(("-fopenmp-targets=", "--openmp=")):
        option, _, value = word.partition("=")
        return Word(option + "=", value)
    if word in _SEPARATE:
        operand = next(words, None)
        if operand is None:
            raise Problem(f"cannot understand the command line: {word} needs a value; give it one", 1)
        return Word(word, operand, glued=False)
    for option in ("-o", "-x", "-I", "-D", "-U", "-l", "-L", "-MF", "-MT", "-MQ"):
        if word.startswith(option) and len(word) > len(option):
            return Word(option, word[len(option) :])
    return Word(word)


def _links(word: Word) -> bool:
    return word.option in _LINKING_WORDS or word.option.startswith(_LINKING)


def _expanded(arguments: Sequence[str], depth: int = 0) -> Iterator[str]:
    """Response files in place; one that cannot be read is a file's name, as for gcc."""
    for word in arguments:
        if word.startswith("@") and depth < 16:
            try:
                text = Path(word[1:]).read_text(encoding="utf-8", errors="surrogateescape")
                if "\0" in text:
                    raise Problem(
                        f"cannot read {word}: it has a NUL byte, which no argument can have; write it again", 1
                    )
            except OSError:
                yield word
            else:
                yield from _expanded(shlex.split(text), depth + 1)
        else:
            yield word
