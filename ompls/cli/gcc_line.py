"""gcc's command line, taken apart as far as a compiler driver in front of gcc has to know it.

Nothing is checked here: what is not known goes to gcc as it stands.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ompls.cli.offloading import Offload
from ompls.cli.problem import Problem
from ompls.project.files import read_regular
from ompls.project.gcc_options import DEPENDENCIES, FIRST, MACROS, OURS, PREPROCESSOR, TARGETS, Word, word_of
from ompls.project.language import foreign
from ompls.project.problem import FileProblem

# These only ask; the words after them do not matter.
_ASKING = ("-print-", "-dumpversion", "-dumpmachine", "-dumpfullversion", "-dumpspecs", "--version", "--help",
           "--target-help", "-###")  # fmt: skip
STDIN = "-"
_MOST = 16 << 20  # bytes of a response file
_SOURCES = (".c", ".i")


@dataclass
class GccLine:
    """What a command line asks for.

    stage -- '' for linking, else the option that stops earlier: '-c', '-S', '-E', '-fsyntax-only', '-M', '-MM'
    line -- without -x
    sources -- C files that gcc would compile, in order
    foreign -- files in other languages, and which
    languages -- of -x, by the input file that it was given for
    output -- of -o, if given
    openmp -- whether -fopenmp is on
    targets -- of -fopenmp-targets=
    version -- of --openmp=, that of the specification
    architecture, prefix -- of --target-arch and --tool-prefix
    offload -- what the options of other compilers say about devices
    asks -- it only asks for information
    """

    line: list[Word] = field(default_factory=list)
    stage: str = ""
    sources: list[str] = field(default_factory=list)
    foreign: list[tuple[str, str]] = field(default_factory=list)
    languages: dict[str, str] = field(default_factory=dict)
    output: str | None = None
    openmp: bool = False
    targets: str | None = None
    version: str | None = None
    architecture: str | None = None
    prefix: str | None = None
    asks: bool = False
    foreign_targets: bool = False  # in another compiler's words: whoever wrote them does not know this machine
    offload: Offload = field(default_factory=Offload)

    def words(self, line: Iterable[Word] | None = None) -> list[str]:
        """What gcc is to have for these words (None: all of them), each input file in its language."""
        words: list[str] = []
        language = ""
        for w in self.line if line is None else line:
            wanted = language if w.option else self.languages.get(w.value, "")
            if wanted != language:
                words += ["-x", wanted or "none"]
                language = wanted
            words += w.words
        return words

    def other_words(self) -> list[str]:
        """The command line without the C files; [] when nothing is left that gcc could work on."""
        left = [w for w in self.line if w.option or w.value not in self.sources]
        return self.words(left) if any(not w.option for w in left) else []

    def compile_words(self, source: str) -> list[str]:
        """The options for compiling this file, which stands behind them; without output and dependency files."""
        language = self.languages.get(source, "")
        # what macros and headers there were is in a preprocessed file
        used = (*MACROS, *FIRST) if language == "cpp-output" or (not language and source.endswith(".i")) else ()
        out = ("-o", self.stage, *used)
        kept = [w for w in self.line if w.option and not w.links and w.option not in out]
        words = self.words(w for w in kept if w not in self._about_dependencies())
        return [*words, *(("-x", language) if language else ())]

    def dependency_words(self, source: str) -> list[str]:
        """-MD and the like, for a run of gcc with another output, or none; [] when no file is asked for."""
        kept = self._about_dependencies()
        words = self.words(kept)
        if not any(w.option in ("-MD", "-MMD") for w in kept):
            # the preprocessor's own: the target is the source's object, wherever the output is
            return words if any(w.option == PREPROCESSOR for w in kept) else []
        stem = "-" if source == STDIN else Path(source).stem
        if not any(w.option in ("-MT", "-MQ") for w in kept):
            words += ["-MQ", self.output or (stem if source == STDIN else f"{stem}.o")]
        if not any(w.option == "-MF" for w in kept):
            words += ["-MF", str(Path(self.output or (stem if self.stage else f"a-{stem}")).with_suffix(".d"))]
        return words

    def link_words(self, objects: dict[str, str]) -> list[str]:
        """Everything that the link takes, each source replaced by its object."""
        out = self._about_dependencies()
        kept = (w for w in self.line if w.option != "-o" and w not in out)
        words = self.words(w if w.option else Word("", objects.get(w.value, w.value)) for w in kept)
        return [*words, *(self.dependency_words(self.foreign[-1][0]) if self.foreign else ())]

    def _about_dependencies(self) -> list[Word]:
        """What asks for a dependency file, of the compiler or of its preprocessor, where -MD has a value."""
        found: list[Word] = []
        before = False
        for w in self.line:
            if w.option == PREPROCESSOR:
                before = w.value.startswith("-M") or (before and not w.value.startswith("-"))
            if w.option in (*DEPENDENCIES, *TARGETS) or (w.option == PREPROCESSOR and before):
                found.append(w)
        return found


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
        if item.option == "-fopenmp-targets":
            found.targets = found.offload.targets(item.value, item.option)
            found.foreign_targets = found.targets != item.value
            continue
        if item.option == "--openmp":
            found.version = item.value
            continue
        if item.option == "--target-arch":
            found.architecture = item.value
            continue
        if item.option == "--tool-prefix":
            found.prefix = item.value
            continue
        if item.option == "-x":
            language = "" if item.value == "none" else item.value
            continue
        if item.option.startswith("-Wp,"):
            found.line += [Word(PREPROCESSOR, part, glued=False) for part in item.option.split(",")[1:]]
            continue
        found.line.append(item)
        if not item.option:
            if language:
                found.languages[item.value] = language
            if language in ("c", "cpp-output") or (not language and item.value.endswith(_SOURCES)):
                found.sources.append(item.value)
            elif in_ := foreign(item.value, ("-x", language) if language else ()):
                found.foreign.append((item.value, in_))
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
    option, glued, value = word.partition("=")
    if glued and option in ("-fopenmp-targets", *OURS):
        return Word(option, value)
    item = word_of(word, words)
    if item is None:
        raise Problem(f"cannot understand the command line: {word} needs a value; give it one", 1)
    return item


def _expanded(arguments: Sequence[str], depth: int = 0) -> Iterator[str]:
    """Response files in place; one that cannot be read is a file's name, as for gcc."""
    for word in arguments:
        if word.startswith("@") and depth < 16 and os.path.exists(word[1:]):
            yield from _expanded(_response(word), depth + 1)
        else:
            yield word


def _response(word: str) -> list[str]:
    """The words of a response file.  Raises Problem."""
    try:
        text = os.fsdecode(read_regular(word[1:], _MOST))
    except FileProblem as problem:
        raise Problem(f"cannot read {word}: {problem.reason}; {problem.hint}", 1) from problem
    if "\0" in text:
        raise Problem(f"cannot read {word}: it has a NUL byte, which no argument can have; write it again", 1)
    try:
        return shlex.split(text)
    except ValueError as problem:
        raise Problem(f"cannot read {word}: {str(problem).lower()}; close the quotation", 1) from problem
