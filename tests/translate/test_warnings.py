"""What gcc says of the host half is what it says of the user's text: no more under any -W, and at the same places."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from named import translate

from ompls.analysis.model.tu import TU

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
import gcc_warnings  # noqa: E402

# Said of clauses that gcc does not see, and of a declaration behind a directive that became a statement.
_LOST = {"-Wdeclaration-after-statement", "-Wtraditional", "-Wshadow"}
Load = Callable[[Path], TU]


def _compared(path: Path, tmp_path: Path, load: Load, standard: str) -> tuple[gcc_warnings.Said, gcc_warnings.Said]:
    """(what gcc says of the input, of the output)."""
    bundle = translate([load(path)], ["host"])
    assert not bundle.diagnostics
    for name, data in bundle.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    words = [f"-std={standard}", *gcc_warnings.every_warning()]
    theirs = gcc_warnings.said_of(path, words)
    return theirs, gcc_warnings.said_of(tmp_path / f"host/{path.stem}.c", [*words, "-iquote", str(path.parent)])


@pytest.mark.parametrize("standard", ["gnu17", "c90"])
def test_generated_text_is_silent(standard: str, tmp_path: Path, load: Load) -> None:
    text = (HERE / "warnings/clean.c").read_text()
    path = tmp_path / "clean.c"
    if standard == "c90":
        text = text.replace("for (long i", "for (i").replace("int x =", "long i; int x =")
    path.write_text(text)
    theirs, ours = _compared(path, tmp_path, load, standard)
    assert ours - theirs == Counter()
    assert {option for _, option, _ in theirs - ours} <= _LOST


def test_the_users_text_has_its_warnings_and_places(tmp_path: Path, load: Load) -> None:
    theirs, ours = _compared(HERE / "warnings/loud.c", tmp_path, load, "gnu17")
    assert ours == theirs
    assert {"-Wunused-variable", "-Wsign-conversion", "-Wconversion", ""} <= {option for _, option, _ in ours}
    assert {place for place, option, _ in ours if not option} == {"loud.c:7:48"}


def test_a_value_that_is_none_is_an_error(tmp_path: Path, load: Load) -> None:
    """Where gcc only warns of a conversion it would say nothing in a system header."""
    path = tmp_path / "none.c"
    path.write_text("void f(int *p)\n{\n#pragma omp target teams num_teams(p)\n    p[0] = 1;\n}\n")
    _, ours = _compared(path, tmp_path, load, "gnu17")
    assert ("none.c:3", "") in {(place.rsplit(":", 1)[0], option) for place, option, _ in ours}


DISPATCH = """void g(int n, double *x);
void h(int n, double *x);
#pragma omp declare variant(h) match(construct={dispatch}) adjust_args(need_device_ptr: x)
void g(int n, double *x) { x[0] = n; }
void h(int n, double *x)
{
#pragma omp target is_device_ptr(x)
    x[0] = n;
}
void f(double *x)
{
#pragma omp dispatch%s
    g(1, x);
#pragma omp metadirective when(target_device={device_num(0), kind(gpu)}: target map(tofrom: x[0])) default()
    x[0] = 1;
}
"""


@pytest.mark.parametrize("clause", ["", " device(0)"])
def test_what_lowering_calls_is_declared_without_omp_h(tmp_path: Path, load: Load, clause: str) -> None:
    path = tmp_path / "call.c"
    path.write_text(DISPATCH % clause)
    _, ours = _compared(path, tmp_path, load, "gnu17")
    assert "-Wimplicit-function-declaration" not in {option for _, option, _ in ours}
