"""gcc's options: which words of a command line belong together."""

from __future__ import annotations

import pytest

from ompls.project.gcc_options import Word, words_of


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("-Iinc -I inc a.c -", ["-I", "-I", "", ""]),
        ("-includea.h -include a.h -imacrosa.h -isystem/s -iquote q",
         ["-include", "-include", "-imacros", "-isystem", "-iquote"]),
        ("-include-pch a.pch -Xclang -emit-pch -T x.ld -undef", ["-include-pch", "-Xclang", "-T", "-undef"]),
        ("-xc -x c++ -oprog -o prog -MFa.d -MT x", ["-x", "-x", "-o", "-o", "-MF", "-MT"]),
        ("-O2 -fopenmp -D", ["-O2", "-fopenmp"]),
    ],
)  # fmt: skip
def test_an_option_has_its_value(line: str, options: list[str]) -> None:
    found = list(words_of(line.split()))
    assert [word.option for word in found] == options
    assert [part for word in found for part in word.words] == line.removesuffix(" -D").split()


def test_what_is_for_the_linker_only() -> None:
    line = "-lm -L. -shared -Wl,-O1 -Xlinker -x -T x.ld -s -c -O2 -fopenmp -std=c99 -g"
    assert [w.option for w in words_of(line.split()) if not w.links] == ["-c", "-O2", "-fopenmp", "-std=c99", "-g"]
    assert Word("-o", "p", glued=False).words == ["-o", "p"]
