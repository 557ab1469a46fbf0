"""What an old gcc lacks of OpenMP is said otherwise, or refused by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ompls.analysis.rules.support.newer import newer_words
from ompls.cli.engine import analyze
from ompls.cli.options import translatable
from ompls.cli.pipeline import translated
from ompls.cli.problem import Refused
from ompls.runtime.boards import registered
from ompls.runtime.boards.registered import Board

ROOT = Path(__file__).resolve().parents[2]
NEWER = ROOT / "tests/boards/programs/newer.c"  # which tests/boards runs


def texts(source: Path, version: str) -> dict[str, str]:
    made = translated(list(analyze([str(source)], ())), translatable("host"), (), version)
    return {str(path): text if isinstance(text, str) else text.decode() for path, text in made.files.items()}


def test_no_word_is_left_that_it_lacks(tmp_path: Path) -> None:
    sources = {name: text for name, text in texts(NEWER, "4.5").items() if name.endswith(".c")}
    assert len(sources) == 2
    for name, text in sources.items():
        (tmp_path / "one.c").write_text(text)
        (unit,) = analyze([str(tmp_path / "one.c")], ())
        directives = [s.directive for item in unit.tu.items for s in item.content.directives]
        assert directives, name
        assert [what for d in directives for _, what, _ in newer_words(d, "4.5")] == []


def test_a_compiler_of_today_gets_the_users_words() -> None:
    (text,) = [text for name, text in texts(NEWER, "").items() if name == "host/newer.c"]
    for line in NEWER.read_text().splitlines():
        if line.startswith("#pragma") and "target" not in line:
            assert line in text


def test_a_boards_kernels_are_for_its_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The program is built here, and its regions there."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    registered.change(lambda known: {"old": Board("old", "me@old", facts={"gcc": "7.5.0"})})
    made = translated(list(analyze([str(NEWER)], ())), translatable("old"), ()).files
    found = {str(path): text if isinstance(text, str) else text.decode() for path, text in made.items()}
    (kernel,) = [text for name, text in found.items() if name.startswith("kernels/default/")]
    assert "teams distribute parallel for" in kernel
    assert "#pragma omp parallel loop\n" in found["host/newer.c"]


@pytest.mark.parametrize(
    ("pragma", "what"),
    [
        ("omp parallel for reduction(inscan, + : x)", "'inscan' in 'reduction'"),
        ("omp parallel reduction(task, + : x)", "'task' in 'reduction'"),
        ("omp taskgroup task_reduction(+ : x)", "the clause 'task_reduction'"),
        ("omp task in_reduction(+ : x)", "'in_reduction'"),
        ("omp parallel for lastprivate(conditional : x)", "'conditional' in 'lastprivate'"),
        ("omp parallel default(firstprivate)", "'firstprivate' in 'default'"),
        ("omp taskloop grainsize(strict : 4)", "'strict' in 'grainsize'"),
        ("omp scope private(x)", "'scope'"),
        ("omp task detach(e)", "'detach'"),
        ("omp task depend(iterator(k = 0 : n), in : a[k])", "'iterator' in 'depend'"),
        ("omp atomic compare", "the clause 'compare'"),
        ("omp target thread_limit(4)", "'thread_limit' on 'target'"),
        ("omp parallel for collapse(2) lastprivate(x)", "'lastprivate' with 'collapse(2)'"),
    ],
)
def test_what_cannot_be_said_is_refused_by_name(
    pragma: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loop = "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) { x = a[j]; }"
    if "inscan" in pragma:
        loop = "for (int i = 0; i < n; i++) {\n x += a[i];\n#pragma omp scan inclusive(x)\n a[i] = x; }"
    if "compare" in pragma:
        loop = "if (x < n) { x = n; }"
    source = tmp_path / "one.c"
    source.write_text(
        f"#include <omp.h>\nvoid f(int *a, int n, int x, omp_event_handle_t e) {{\n#pragma {pragma}\n{loop}\n}}\n"
    )
    with pytest.raises(Refused):
        texts(source, "4.5")
    told = capsys.readouterr().err
    assert "one.c:3:" in told
    assert f"{what} cannot be translated for host: " in told
    assert "4.5" in told
    assert "install gcc 12 or newer there" in told or "collapse" in pragma
