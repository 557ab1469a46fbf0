"""The oracle: after preprocessing, our tokens are those of `gcc -E -fopenmp`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from gcc_tokens import FIXTURES, check_map, expand, gcc_tokens, our_tokens

from ompls.analysis.encoding import decoded
from ompls.analysis.model import literals
from ompls.analysis.model.constants import fold
from ompls.analysis.model.datamodel import LP64
from ompls.analysis.source import EMPTY_SNAPSHOT
from ompls.analysis.syntax.pragma import parse_directive
from ompls.analysis.syntax.preprocess import Preprocessor
from ompls.project.workspace import Workspace

# gcc 12 does not expand macros in the OpenMP directives that it does not know
UNKNOWN_TO_GCC = {"test_interop_target.c", "test_assume_noopenmpconstructs.c"}


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.c")), ids=lambda path: path.stem)
def test_fixture(path: Path) -> None:
    workspace = Workspace([str(FIXTURES)])
    assert our_tokens(workspace, path) == gcc_tokens(path)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.c")), ids=lambda path: path.stem)
def test_map_of_fixture(path: Path) -> None:
    texts = {str(file): file.read_bytes() for file in FIXTURES.rglob("*.[ch]")}
    check_map(expand(Workspace([str(FIXTURES)]), path), texts)


@pytest.mark.skipif("OMPLS_VV" not in os.environ, reason="OMPLS_VV does not name the OpenMP validation suite")
def test_validation_suite() -> None:
    suite = Path(os.environ["OMPLS_VV"])
    flags = [f"-I{suite / 'ompvv'}"]
    workspace = Workspace([str(suite)], flags)
    files = [p for p in sorted((suite / "tests").rglob("*.c")) if b"target" in p.read_bytes()]
    different = [p.name for p in files if our_tokens(workspace, p) != gcc_tokens(p, flags)]
    print(f"{len(files) - len(different)} of {len(files)} files as gcc has them")
    assert files
    assert set(different) <= UNKNOWN_TO_GCC


@pytest.mark.parametrize(
    "constant",
    [
        b"'a'", b"'\xfc'", b"'\xc3\xbc'", b"'\\xff'", b"'\\377'", b"'\\e'", b"'\x95\\n'", b"'\\u00fc'", b"'abcd'",
        b"'\xfcbcd'", b"'abcde'", b"'\\x1ff'", b"L'\xc3\xbc'", b"L'\\xffffffff'", b"u'\xc3\xbc'", b"U'\\xff'",
    ],
)  # fmt: skip
def test_character_constants(constant: bytes, tmp_path: Path) -> None:
    program = b'#include <stdio.h>\nint main(void) { printf("%%lld", (long long)%s); }\n' % constant
    (tmp_path / "a.c").write_bytes(program)
    subprocess.run(["gcc", "-w", "-o", "a", "-include", "uchar.h", "a.c"], cwd=tmp_path, check=True)
    value = int(subprocess.run([tmp_path / "a"], capture_output=True, check=True).stdout)
    assert literals.character(decoded(constant), LP64)[1] == value
    directive = parse_directive(b"#pragma omp target if(" + constant + b")")
    assert fold(directive.clauses[0].args[0]) == value
    for condition in (b"%s == %d", b"%s < 0", b"%s - 100000 < 0"):
        test = condition % ((constant, value) if b"%d" in condition else constant)
        text = b"#if " + test + b"\nint yes;\n#else\nint no;\n#endif\n"
        command = ["gcc", "-w", "-E", "-P", "-"]
        made = subprocess.run(command, input=text, capture_output=True, check=True).stdout
        assert Preprocessor().run("a.c", text, EMPTY_SNAPSHOT).text.split() == made.split()
