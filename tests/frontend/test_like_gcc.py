"""The oracle: after preprocessing, our tokens are those of `gcc -E -fopenmp`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gcc_tokens import FIXTURES, check_map, expand, gcc_tokens, our_tokens

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
