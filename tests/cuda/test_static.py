"""The code generated for GPUs is no worse, compared with CUDA by hand, than bench/gpu/static.json says it was.

Counted is PTX, with ptxas' registers and spills: no disassembler is needed.  When code becomes better on purpose, or
worse for a good reason: `python bench/gpu/static.py --renew` writes the file again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench/gpu"))
import pairs
import static

from ompls.devices.cuda.module import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.available() is None, reason="nvrtc is not installed (the extra cuda-preview)")
OLDEST_AND_NEWEST = ("sm_53", "sm_90")


def when(pair: pairs.Pair, arch: str) -> list[pytest.MarkDecorator]:
    """Programs of the oldest and the newest GPU are for every commit; of what else is theirs `make test-all` looks at
    the one or the other in turn, and of the programs at the GPUs between; what is neither is for `make exhaustive`."""
    marks = [pytest.mark.thorough, pytest.mark.exhaustive]
    if pair in pairs.PROGRAMS:
        return marks[: arch not in OLDEST_AND_NEWEST]
    in_turn = OLDEST_AND_NEWEST[pairs.OURS.index(pair) % 2]
    return marks[: 1 + (arch != in_turn)]


CASES = [pytest.param(pair, arch, marks=when(pair, arch)) for pair in pairs.OURS for arch in static.ARCHITECTURES]


@pytest.mark.parametrize(("pair", "arch"), CASES, ids=lambda value: getattr(value, "name", value))
def test_no_kernel_became_worse(pair: pairs.Pair, arch: str) -> None:
    committed = json.loads(static.COMMITTED.read_text())
    worse = static.fallen(static.compare(pair, arch, ""), committed["kernels"][f"{pair.name} {arch}"])
    made_by, here = committed["nvrtc"], ".".join(map(str, nvrtc.version()))
    assert not worse, (
        f"{pair.name} on {arch} against {pair.kernel} of bench/gpu/cuda/{pair.file}: {'; '.join(worse)} "
        f"(nvrtc {here}, the file's {made_by}); if that is right: python bench/gpu/static.py --renew"
    )


FIGURES = {
    "inner": 1.0,
    "whole": 1.2,
    "registers": 1.0,
    "spills": [0, 0],
    "shared": [0, 0],
    "read_only": [1.0, 1.0],
    "width": [16.0, 16.0],
    "wide": [0, 1],
    "address": [5, 5],
}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("inner", 1.01, []),
        ("inner", 1.1, ["inner 1.0 -> 1.1"]),
        ("inner", None, []),
        ("whole", 1.1, []),
        ("registers", 1.05, ["registers 1.0 -> 1.05"]),
        ("spills", [8, 0], ["spills 0 -> 8"]),
        ("read_only", [0.5, 1.0], ["read_only 1.0 -> 0.5"]),
        ("width", [4.0, 16.0], ["width 16.0 -> 4.0"]),
        ("wide", [1, 1], []),
        ("wide", [2, 1], ["wide 0 -> 2"]),
    ],
)
def test_what_is_worse_is_said(name: str, value: object, said: list[str]) -> None:
    assert static.fallen({**FIGURES, name: value}, FIGURES) == said


def test_what_misses_its_goal_is_marked() -> None:
    rows = {"k": {"sm_53": {**FIGURES, "read_only": [0, 1.0]}, "sm_90": {**FIGURES, "whole": 1.0, "inner": None}}}
    lines = list(static.table(rows))
    assert static.misses(rows["k"]["sm_53"]) == {"whole", "read_only"}
    assert lines[1].split() == ["k", "sm_53", "1.00", "1.20*", "1.00", "0/0", "0/0", "0/1*", "16/16", "0/1", "5/5"]
    assert lines[2].split()[2:5] == ["-", "1.00", "1.00"]
    assert lines[-1].split() == ["worst", "sm_90", "-", "1.000", "1.000"]


def test_the_version_for_separate_arrays_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        '#include "ompls_device.cuh"\n'
        'extern "C" __global__ void k(const float *OMPLS_RESTRICT a, float *b) { b[threadIdx.x] = a[0] / 3; }\n'
    )
    monkeypatch.setattr(static, "regions", lambda source: {"main_0": text})
    pair = next(pair for pair in pairs.PROGRAMS if pair.kernel == "conv3d")
    assert static.compare(pair, "sm_53", "")["read_only"] == [1.0, 1.0]


def test_a_suites_kernel_is_read_from_its_checkout(tmp_path: Path) -> None:
    pair = next(pair for pair in pairs.SUITES if pair.kernel == "lu_kernel2")
    source = tmp_path / pair.file
    source.parent.mkdir(parents=True)
    source.write_text(
        "#include <unistd.h>\n__global__ void lu_kernel2(int n, DATA_TYPE *a, int k)\n{\n"
        "\tint i = threadIdx.x;\n\tif (i < _PB_N)\n\t{\n\t\ta[i * N + k] -= 1;\n\t}\n}\nint main() { sleep(1); }\n"
    )
    figures = static.compare(pair, "sm_53", "", tmp_path)
    assert figures["whole"] > 1
    source.write_text("int main() { return 0; }\n")
    with pytest.raises(SystemExit, match="no kernel lu_kernel2"):
        static.compare(pair, "sm_53", "", tmp_path)
