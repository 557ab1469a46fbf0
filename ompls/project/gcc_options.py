"""gcc's options as far as we have to know them: which have a value, and what they are about.

The one table of them.  What is not in it is one word, and nobody but gcc knows what it means.  The run time, which
imports nothing of this, has a few of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

# The groups: their value is glued to them, or the next word (GCC manual, "Option Summary").
DIRECTORIES = ("-I", "-iquote", "-isystem", "-idirafter")  # where headers are
FIRST = ("-include", "-imacros")  # files that are read before the source
MACROS = ("-D", "-U")
TARGETS = ("-MF", "-MT", "-MQ")  # of a dependency file: its name, and what stands in it
LIBRARIES = ("-l", "-L")
SYSROOT = "--sysroot"  # where the system's headers and libraries are; its value is glued with a `=`, or the next word
OURS = ("--openmp", "--target-arch", "--tool-prefix")  # of `ompls cc`
PREPROCESSOR = "-Xpreprocessor"  # its value is a word for the preprocessor
_OTHERS = ("-o", "-x", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot")
# The value is the next word; where it is glued, the whole is no option that matters here.
_LINKER = ("-T", "-u", "-z", "-e", "-A", "-Xlinker")
_NEXT = frozenset(
    """-Xassembler -B -wrapper -aux-info --param -G -specs -dumpbase -dumpdir -Ttext -Tdata -Tbss -arch
    -Xclang -include-pch -isystem-after -iframework -iwithsysroot -ivfsoverlay -mllvm -target -resource-dir -MJ
    -serialize-diagnostics -dependency-file""".split()  # noqa: SIM905 - a table of words; its last two lines are clang's
).union(_LINKER, (PREPROCESSOR, SYSROOT), OURS)
_OF_TARGETS = "-Xopenmp-target"  # clang's; behind a `=` stands which target it is
_GLUED = sorted((*DIRECTORIES, *FIRST, *MACROS, *TARGETS, *LIBRARIES, *_OTHERS), key=len, reverse=True)

DEPENDENCIES = ("-MD", "-MMD", "-MP", "-MG")  # that a dependency file is written, and how
# What is for the linker only, as whole words…
_LINKING = frozenset(
    """-static -shared -rdynamic -pie -no-pie -static-pie -nostdlib -nodefaultlibs -nolibc -nostartfiles -r
    -s""".split()  # noqa: SIM905 - a table of words
).union(LIBRARIES, _LINKER)
# …and as beginnings.
_LINKING_PREFIXES = ("-Wl,", "-fuse-ld=", "-static-lib", "-specs=")

# Of -x, also with endings as in c++-cpp-output.
LANGUAGES = {
    "c": "C", "c++": "C++", "objective-c++": "C++", "f77": "Fortran", "f95": "Fortran",
    "cu": "CUDA C++", "cuda": "CUDA C++", "hip": "HIP C++",
}  # fmt: skip

# What other compilers and newer ones say in words that gcc has not.
SAME = {
    "-fast": "-O2", "-Weverything": "-Wextra", "-fcolor-diagnostics": "-fdiagnostics-color",
    "-fno-color-diagnostics": "-fdiagnostics-color=never", "-c99": "-std=c99", "-c11": "-std=c11", "-c17": "-std=c17",
    "-gopt": "-g", "-tp=host": "-march=native", "-tp=native": "-march=native",
    "-std=c23": "-std=c2x", "-std=gnu23": "-std=gnu2x",
}  # fmt: skip


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

    @property
    def links(self) -> bool:
        """Whether it is an option that matters to the linker only."""
        return self.option in _LINKING or self.option.startswith(_LINKING_PREFIXES)


def word_of(word: str, following: Iterator[str]) -> Word | None:
    """The word of a command line, with the next one where that is its value; None when it needs one and has none."""
    if not word.startswith("-") or word == "-":
        return Word("", word)
    if has_value(word):
        value = next(following, None)
        return None if value is None else Word(word, value, glued=False)
    option = next((option for option in _GLUED if word.startswith(option)), word)
    return Word(option, word[len(option) :])


def words_of(arguments: Iterable[str]) -> Iterator[Word]:
    """The words of a command line in their order; an option at the end that lacks its value is left out."""
    following = iter(arguments)
    for word in following:
        item = word_of(word, following)
        if item is not None:
            yield item


def has_value(word: str) -> bool:
    """Whether the next word is the value of this one."""
    return word in _NEXT or word in _GLUED or word.startswith(_OF_TARGETS)


def language_of(word: str) -> str:
    """The language that a value of -x means; "" when it is none of those that may have OpenMP."""
    return next((LANGUAGES[w] for w in (word, word.partition("-")[0]) if w in LANGUAGES), "")


def values(arguments: Sequence[str], *options: str) -> tuple[str, ...]:
    """The values of these options, in their order."""
    return tuple(word.value for word in words_of(arguments) if word.option in options)
