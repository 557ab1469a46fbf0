"""Programs that gcc and sh alone build, as on a board with a Python that is too old.

This machine's gcc plays that of such a board, unless OMPLS_GCC7 names a directory with a real one (`make test-gcc7`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ompls.cli import bundles
from ompls.cli.engine import analyze
from ompls.cli.options import translatable
from ompls.cli.pipeline import translated
from ompls.cli.problem import Refused
from ompls.devices.cuda.module import nvrtc
from ompls.runtime.boards.plan import SCRIPT, CannotPlan, Planned, planned
from ompls.runtime.build import assembled
from ompls.runtime.bundle import read_bundle
from ompls.runtime.devices import named
from ompls.runtime.machine import HERE
from ompls.runtime.toolchain import Compile

from .conftest import Sshd

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PROGRAMS = Path(__file__).with_name("programs")
TRANSLATED = sorted((ROOT / "tests/translate/programs").glob("*.c"))
# gcc 7.5 does not know the name of C17, its -Wextra tells of more, and its <omp.h> is that of OpenMP 4.5.
OLD = """#!/bin/sh
for word; do
    case $word in
    -std=gnu17) echo "gcc: error: unrecognized command line option '-std=gnu17'" >&2; exit 1 ;;
    -Werror) echo "gcc: error: a warning" >&2; exit 1 ;;
    esac
done
exec {gcc} "$@" -U__GNUC__ -D__GNUC__=7 -isystem {headers}
"""
OMP_H = Path(__file__).with_name("openmp45.h")
GCC7 = os.environ.get("OMPLS_GCC7", "")
REAL = """#!/bin/sh
exec {gcc7}/bin/gcc "$@" -B{libraries}
"""
LIBRARIES = {"LD_LIBRARY_PATH": f"{GCC7}/lib64"} if GCC7 else {}


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that is on PATH."""
    place = tmp_path_factory.mktemp("tools")
    for name in ("sh", "mkdir", "mv", "rm", "as", "ld", "nm", "strip"):
        (place / name).symlink_to(shutil.which(name) or "")
    (place / "headers").mkdir()
    shutil.copyfile(OMP_H, place / "headers/omp.h")
    text = OLD.format(gcc=shutil.which("gcc"), headers=place / "headers")
    if GCC7:
        said = ["gcc", "-print-file-name=crt1.o"]
        crt = subprocess.run(said, capture_output=True, text=True, check=True).stdout.strip()
        text = REAL.format(gcc7=GCC7, libraries=Path(crt).parent)
    (place / "gcc").write_text(text)
    (place / "gcc").chmod(0o755)
    return place


def plan(source: Path, place: Path, device: str = "host", flags: Sequence[str] = ()) -> Path:
    """The directory that a board with OpenMP 4.5 gets."""
    bundle = place / "bundle"
    made = translated(list(analyze([str(source)], flags)), translatable(device), flags, "4.5")
    bundles.write(made.files, str(bundle))
    devices = [chosen.as_native({}) for chosen, _ in named(device)]
    files = planned(HERE, bundle, lambda made: assembled(made, read_bundle(bundle), devices, ["-O2"], []))
    for name, data in files.items():
        (place / "there" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "there" / name).write_bytes(data)
    shutil.rmtree(bundle)  # nothing of here is needed
    return place / "there"


def build(plan: Path, tools: Path) -> subprocess.CompletedProcess[str]:
    """As board.sh does it."""
    command = [tools / "sh", f"./{SCRIPT}", tools / "objects"]
    return subprocess.run(command, cwd=plan, env={"PATH": str(tools)}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "source", [EXAMPLES / "saxpy.c", EXAMPLES / "declare_target.c", PROGRAMS / "newer.c"], ids=lambda path: path.stem
)
def test_gcc_and_sh_make_a_program(source: Path, tools: Path, tmp_path: Path) -> None:
    there = plan(source, tmp_path)
    assert str(ROOT).encode() not in (there / SCRIPT).read_bytes()
    done = build(there, tools)
    assert (done.returncode, done.stderr) == (0, "")
    environment = {"OMP_TARGET_OFFLOAD": "mandatory", **LIBRARIES}
    run = subprocess.run([there / "program"], env=environment, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout.endswith(b" correct\n")


# Programs that count the teams that they ask for: OpenMP 4.5 lets there be fewer, and gcc 7 makes one on a host.
_COUNT_TEAMS = ("reductions_elements", "nested_parallel")
_NAMES = ("library",)  # of allocators, which the <omp.h> there has not: gcc says so


@pytest.mark.skipif(not GCC7, reason="OMPLS_GCC7 names no directory with gcc 7 (make test-gcc7)")
@pytest.mark.parametrize("source", [*sorted(EXAMPLES.rglob("*.c")), *TRANSLATED], ids=lambda path: path.stem)
def test_gcc_7_makes_it_or_it_is_refused_by_name(
    source: Path, tools: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        there = plan(source, tmp_path, flags=(f"-I{TRANSLATED[0].parent}",))
    except Refused:
        assert "the compiler there" in capfd.readouterr().err
        return
    done = build(there, tools)
    assert (done.returncode != 0) == (source.stem in _NAMES), done.stderr
    if done.returncode == 0 and source.stem not in _COUNT_TEAMS:
        run = subprocess.run([there / "program"], env=LIBRARIES, capture_output=True, text=True, check=False)
        assert (run.returncode, run.stderr) == (0, ""), run.stdout


def test_no_routine_newer_than_openmp_4_5_has_to_be_there(tools: Path, tmp_path: Path) -> None:
    there = plan(EXAMPLES / "saxpy.c", tmp_path)
    assert build(there, tools).returncode == 0
    for program in (there / "program", *there.glob("made/*.so")):
        listed = subprocess.run(["nm", "-D", "--undefined-only", program], capture_output=True, text=True, check=True)
        # GOMP_… are the compiler's own calls.
        assert not [line for line in listed.stdout.splitlines() if re.search(r" U omp_.*@OMP_[5-9]", line)]


@pytest.mark.skipif(nvrtc.available() is None, reason="nvrtc is not installed: pip install 'ompls[cuda-preview]'")
def test_the_module_of_gpus_needs_no_more(tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Built without CUDA's headers and libraries; where no driver is, the regions are the host's."""
    monkeypatch.setenv("OMPLS_CUDA_ARCH", "sm_53")
    there = plan(EXAMPLES / "saxpy.c", tmp_path, "cuda")
    done = build(there, tools)
    assert (done.returncode, done.stderr) == (0, "")
    environment = {"OMPLS_DEVICES": "cuda", **LIBRARIES}
    run = subprocess.run([there / "program"], env=environment, capture_output=True, check=False)
    assert run.returncode == 0
    assert run.stdout.endswith(b", correct\n")


def test_names_are_only_names(tools: Path, tmp_path: Path) -> None:
    source = tmp_path / 'it\'s $(touch owned) `touch owned` "q" $x;.c'
    shutil.copyfile(EXAMPLES / "saxpy.c", source)
    there = plan(source, tmp_path)
    done = build(there, tools)
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(tmp_path.rglob("owned"))


def test_what_gcc_refuses_is_told(tools: Path, tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("int nobody(void);\nint main(void) {\n    return nobody();\n}\n")
    done = build(plan(source, tmp_path), tools)
    assert done.returncode == 1
    assert "undefined reference to `nobody'" in done.stderr


def test_objects_of_ours_are_made_once(tools: Path, tmp_path: Path) -> None:
    assert build(plan(EXAMPLES / "saxpy.c", tmp_path / "a"), tools).returncode == 0
    before = {path.name: path.stat().st_mtime_ns for path in (tools / "objects").iterdir()}
    assert len(before) > 20
    assert build(plan(EXAMPLES / "jacobi.c", tmp_path / "b"), tools).returncode == 0
    assert {path.name: path.stat().st_mtime_ns for path in (tools / "objects").iterdir()} == before


def test_a_plan_is_the_same_the_next_time(tmp_path: Path) -> None:
    """Its name is made of it: nothing in it says where it was made."""
    made = [plan(EXAMPLES / "saxpy.c", tmp_path / name) for name in ("first", "second")]
    for files in zip(*(sorted(place.rglob("*")) for place in made), strict=True):
        assert files[0].relative_to(made[0]) == files[1].relative_to(made[1])
        assert files[0].is_dir() or files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("device", "source"),
    [("cudasim", "jacobi.c"), pytest.param("epiphany", "epiphany/saxpy.c", marks=pytest.mark.thorough)],
)
def test_an_image_that_gcc_cannot_make_is_made_here(device: str, source: str, tools: Path, tmp_path: Path) -> None:
    if not all(chosen.probe().available for chosen, _ in named(device)):
        pytest.skip(f"{device} is not available here")
    there = plan(EXAMPLES / source, tmp_path, device)
    done = build(there, tools)
    assert (done.returncode, done.stderr) == (0, "")
    environment = {"OMPLS_DEVICES": device, "OMP_TARGET_OFFLOAD": "mandatory", **LIBRARIES}
    run = subprocess.run([there / "program"], env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.endswith(", correct\n")


def test_what_has_to_run_there_is_not_planned(tmp_path: Path) -> None:
    source = tmp_path / "one.c"
    source.write_text("int one;\n")
    with Planned(HERE) as tools:
        with pytest.raises(CannotPlan, match=r"it needs g\+\+ and Python 3\.8 there"):
            tools.object(Compile(source, (), "g++"))
        made = tools.object(Compile(source, ()))
        with pytest.raises(CannotPlan, match="strip has to run on the board"):
            tools.run(["strip", str(made)], "stripping")


@pytest.mark.thorough  # programs for a GPU are built so in test_board_gpu.py
def test_a_board_with_gcc_alone_builds(board: Sshd, tmp_path: Path) -> None:
    config = tmp_path / "ompls"
    config.mkdir()
    known = (Path(board.environment["XDG_CONFIG_HOME"]) / "ompls/remotes.json").read_text()
    older, times = re.subn(r'"python": "3\.[0-9.]+"', '"python": "3.6.9"', known)  # whichever a login there finds
    assert times == 1
    older, times = re.subn(r'"gcc": "[0-9.]+"', '"gcc": "7.5.0"', older)
    assert times == 1
    (config / "remotes.json").write_text(older.replace("glibc 2", "glibc 1"))
    poor = Sshd(board.place, {**board.environment, "XDG_CONFIG_HOME": str(tmp_path)})
    for _ in range(2):
        done = poor.ompls("run", "--remote", "nano", PROGRAMS / "newer.c")
        assert (done.returncode, done.stdout, done.stderr) == (0, "newer: correct\n", "")
    assert list((board.directory / "objects").iterdir())
    assert not list((board.directory / "plans").iterdir())
