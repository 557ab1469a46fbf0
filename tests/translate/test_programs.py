"""Programs that verify themselves: right with gcc's own execution, on `host` and on `cudasim`, by real offloading."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from named import translate
from thinned import thinned

from ompls.analysis.model.tu import TU
from ompls.devices.cuda.module import nvrtc

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAMS = sorted((HERE / "programs").glob("*.c"))
NEWER = sorted((HERE / "programs/newer").glob("*.c"))  # gcc 12 does not know what they use
SOURCES = [*PROGRAMS, *NEWER, *sorted((ROOT / "examples").glob("*.c"))]
RIGHT = [*PROGRAMS, *NEWER]
# On cudasim `make test-all` runs a quarter of them, and every sixth once more with checks (test_checked.py).
# Faults that one of these sees, and no other test (tests/faults).
ALONE = {
    "cudasim": (
        "pointers_at_the_start",
        "gnu_c",
        "lengths_that_change",
        "loops",
        "nests_skewed",
        "target_in_reduction",
        "team_constructs",
    ),
    "host": ("data_device_names", "data_mapped_members", "task_graphs"),
}
ON_DEVICES = [
    case
    for device, of_rest in (("cudasim", 4), ("host", 8))
    for case in thinned([(path, device) for path in RIGHT], 20, lambda case: case[0].stem in ALONE[case[1]], of_rest)
]
# nvrtc takes as long for the kernels of one of them as for those of fifteen others.
LONGEST = HERE / "programs/reductions_sizes.c"
ON_GPUS = [
    *thinned([path for path in SOURCES if path != LONGEST], 24, of_rest=5),
    pytest.param(LONGEST, marks=[pytest.mark.thorough, pytest.mark.exhaustive]),
]
LIBRARY = ROOT / "ompls/devices/cuda/library"
GpuCode = Callable[..., nvrtc.Compiled]


def name_of(value: object) -> str | None:
    return value.stem if isinstance(value, Path) else None


@pytest.mark.thorough
@pytest.mark.exhaustive  # nothing of ours is in it: only who writes a program can make it wrong
@pytest.mark.parametrize("path", PROGRAMS, ids=name_of)
def test_the_program_is_right_without_us(path: Path, tmp_path: Path) -> None:
    gcc = shutil.which("gcc")
    assert gcc
    program = tmp_path / "program"
    subprocess.run([gcc, "-fopenmp", "-foffload=disable", "-o", program, path, "-lm"], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(("path", "device"), ON_DEVICES, ids=name_of)
def test_is_right_on_a_device(path: Path, device: str, tmp_path: Path, load: Callable[[Path], TU]) -> None:
    trace = tmp_path / "trace"
    done = ompls("run", "--timeout", "60", "--device", device, "--trace", trace, path, "-lm")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    events = [json.loads(line) for line in trace.read_text().splitlines()[1:]]
    launched = {e["region"].rsplit("/", 1)[-1] for e in events if e["kind"] == "launch"}
    bundle = translate([load(path)], [device])
    kernels = [k for u in bundle.manifest["units"] for k in u["kernels"]]
    # Regions under a false `if`, or in a branch that is not taken, say so in a comment.
    in_place = {n for n, line in enumerate(path.read_text().splitlines(), 1) if "in place" in line}
    expected = {f"{Path(k['file']).name}:{k['line']}" for k in kernels if k["line"] not in in_place}
    assert expected <= launched


@pytest.mark.parametrize("path", ON_GPUS, ids=name_of)
def test_kernels_compile_for_real_gpus(path: Path, load: Callable[[Path], TU], gpu_code: GpuCode) -> None:
    headers = {p.name: p.read_text() for p in LIBRARY.glob("*.cuh")}
    bundle = translate([load(path)], ["cuda"])
    assert not bundle.diagnostics
    kernels = {name: data.decode() for name, data in bundle.files.items() if name.endswith(".cu")}
    assert kernels
    for name, text in kernels.items():
        if "OMPLS_UNJOINED" in text:  # a wait that would hang before sm_70 is refused there
            refused = nvrtc.compile(text, "sm_53", headers, name, "ptx")
            assert not refused.ok
            assert "hangs on a GPU before sm_70" in refused.log
            assert nvrtc.compile(text, "sm_70", headers, name, "ptx").ok
            continue
        for arch in ("sm_53", "sm_87", "sm_90") if "examples" in path.parts else ("sm_53",):
            gpu_code(text, arch, name, headers)


@pytest.mark.parametrize("path", thinned(SOURCES, 24, of_rest=3), ids=name_of)
def test_host_code_compiles_without_new_warnings(path: Path, load: Callable[[Path], TU], tmp_path: Path) -> None:
    bundle = translate([load(path)], ["host"])
    for name, data in bundle.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    gcc = str(shutil.which("gcc"))
    flags = ["-fopenmp", "-foffload=disable", "-Wall", "-Wextra", "-c", "-o", "/dev/null", "-x", "c"]
    flags += ["-isystem", str(ROOT / "ompls/runtime/include")]
    ours = subprocess.run(
        [gcc, *flags, "-iquote", str(path.parent), str(tmp_path / f"host/{path.stem}.c")],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert ours.returncode == 0, ours.stderr
    if "warning:" in ours.stderr:
        theirs = subprocess.run([gcc, *flags, str(path)], capture_output=True, text=True, check=False, cwd=ROOT)
        assert ours.stderr.count("warning:") <= theirs.stderr.count("warning:"), ours.stderr
