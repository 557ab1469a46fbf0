"""One `_OPENMP` for all that is done with a program: 5.2's, unless the project file or --openmp says otherwise."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ompls.runtime.build import _host_jobs
from ompls.runtime.bundle import read_bundle

# V is what `_OPENMP` has to be: for our preprocessor, for gcc with the headers, and for gcc with the host's half.
PROGRAM = """
#include "before.h"
#if _OPENMP != V
#error another version
#include <no_such_header.h>
#endif
#if _OPENMP >= 201811
#pragma omp requires unified_shared_memory
#endif
_Static_assert(_OPENMP == V, "gcc has another version");
void f(int *x) {
#pragma omp target
    *x = 1;
}
"""
BEFORE = "#if _OPENMP != V\n#error another version in a header\n#endif\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "before.h").write_text(BEFORE)
    (tmp_path / "x.c").write_text(PROGRAM)
    return tmp_path


@pytest.mark.parametrize(
    ("project", "words", "expected"),
    [("", (), 202111), ("4.5", (), 201511), ("4.5", ("--openmp=6.0",), 202411)],
)
def test_one_version(
    ompls: Callable[..., Any], program: Path, project: str, words: tuple[str, ...], expected: int
) -> None:
    if project:
        (program / ".ompls.toml").write_text(f'openmpVersion = "{project}"\n')
    flags = [f"-DV={expected}", "-include", "before.h"]
    for command in (
        ["check", "--quiet", "--ignore", "mapping", "x.c"],
        ["preview", "x.c"],
        ["translate", "--device", "host", "-o", "made", "x.c"],
        ["cc", "-fopenmp", "-fopenmp-targets=host", "-c", "x.c"],
        ["cc", "-fopenmp", "-E", "x.c"],
    ):
        done = ompls(command[0], *words, *command[1:], *flags)
        assert done.code == 0, (command, done.out, done.err)
        assert not done.err
    assert json.loads(Path("made/manifest.json").read_text())["units"][0]["openmp"] == expected
    (job,) = _host_jobs(read_bundle(Path("made")), flags, hosted=False)
    assert {"-U_OPENMP", f"-D_OPENMP={expected}"} <= set(job.args)


def test_an_unknown_version_is_refused(ompls: Callable[..., Any], program: Path) -> None:
    for command in (("check",), ("run",), ("cc", "-fopenmp", "-c")):
        done = ompls(*command[:1], "--openmp=7", *command[1:], "x.c")
        assert "'5.2', '6.0', got '7'" in done.err


NEWER = """
int depends(int n) {
    int t = 0;
#pragma omp metadirective when(user = {condition(n > 3)}: parallel num_threads(2)) default(nothing)
    {
#pragma omp atomic
        t++;
    }
    return t;
}
int other(void) { return 2; }
#pragma omp declare variant(other) match(device = {kind(host)})
int variant(void) { return 1; }
void reversed(int *x, int n) {
#pragma omp reverse
    for (int i = 0; i < n; i++) x[0] = i;
}
struct s { int n; int *p; };
#pragma omp declare mapper(struct s v) map(v.p[0:v.n])
void handled(int x) {
    omp_depend_t d;
#pragma omp depobj(d) depend(inout: x)
#pragma omp depobj(d) destroy(d)
}
int main(void) {
    int x[1];
    reversed(x, 5);
    handled(1);
    return !(depends(1) == 1 && depends(4) == 2 && variant() == 2 && x[0] == 0);
}
"""


def test_what_gcc_passes_over_on_the_host_is_lowered(ompls: Callable[..., Any], program: Path) -> None:
    (program / "newer.c").write_text("#include <omp.h>\n" + NEWER)
    done = ompls("cc", "-fopenmp", "-fopenmp-targets=host", "-Wunknown-pragmas", "newer.c", "-o", "newer")
    assert (done.code, done.err) == (0, "")
    assert subprocess.run([program / "newer"], check=False).returncode == 0


# What CMake's FindOpenMP compiles; it looks for the text in what comes out.
FIND = """
#include <omp.h>
#define DIGIT(n) ('0' + ((n) % 10))
char const said[] = {'[', DIGIT(_OPENMP / 100000), DIGIT(_OPENMP / 10000), DIGIT(_OPENMP / 1000), DIGIT(_OPENMP / 100),
                     DIGIT(_OPENMP / 10), DIGIT(_OPENMP), ']', 0};
"""


def test_cmake_finds_openmp_5(ompls: Callable[..., Any], program: Path) -> None:
    (program / "find.c").write_text(FIND)
    assert ompls("cc", "-fopenmp", "-c", "find.c").code == 0
    assert b"[202111]" in (program / "find.o").read_bytes()
