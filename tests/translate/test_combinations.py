"""Every directive of OpenMP 6.0 that may stand in a target region, alone and combined, translates and compiles.

What a device lacks is a diagnostic; all else must pass g++ (as for `cudasim`) and nvrtc for an old and a new GPU.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from named import translate
from thinned import thinned

from ompls.analysis.model.tu import TU
from ompls.analysis.spec.directives import DIRECTIVES, DirectiveSpec
from ompls.devices.cuda.module import nvrtc
from ompls.devices.cudasim.module import ENGINE, LIBRARY
from ompls.project.devices import registry

ON_HOST = ("target data", "target enter data", "target exit data", "target update", "metadirective", "task iteration")
OPERANDS = {
    "cancel": "parallel", "cancellation point": "parallel", "tile": "sizes(2)", "stripe": "sizes(2)", "depobj": "(o)",
    "split": "counts(2, omp_fill)", "interop": "use(o)", "critical": "(name)", "interchange": "permutation(2, 1)",
}  # fmt: skip
LOOP = "for (int i = 0; i < 8; i++)\nfor (int j = 0; j < 8; j++)\na[i] += j;"
# Worksharing and synchronisation of a team: in a parallel region.  The rest: in the team's sequential code.
OF_A_TEAM = ("for", "sections", "single", "scope", "barrier", "masked", "master", "cancel", "cancellation point")


def executable() -> list[DirectiveSpec]:
    return [
        d for d in DIRECTIVES.values()
        if d.kind in ("block", "loop", "none") and d.name not in ON_HOST and d.name not in ("section", "ordered")
    ]  # fmt: skip


def statement(d: DirectiveSpec) -> str:
    """The directive with something that it may apply to."""
    line = f"#pragma omp {d.name} {OPERANDS.get(d.name, '')}"
    body = {
        "atomic": "a[0]++;",
        "dispatch": "a[0] = f(1, a);",
        "sections": "{ a[0] = 1;\n#pragma omp section\na[1] = 2; }",
    }
    if d.name == "fuse":
        return f"{line}\n{{ {LOOP} {LOOP} }}"
    last = d.constructs[-1]
    return f"{line}\n{body.get(last, LOOP if d.kind == 'loop' else 'a[0] = 1;' if d.kind == 'block' else '')}"


def region(d: DirectiveSpec) -> str:
    if d.name.startswith("target"):
        return statement(d).replace("\n", " map(a)\n", 1)
    around = "#pragma omp target map(a)\n"
    if d.constructs[0] == "teams":
        return around + statement(d)
    if d.constructs[0] == "distribute":
        return f"#pragma omp target teams map(a)\n{statement(d)}"
    if d.constructs[0] in OF_A_TEAM or d.kind != "block":
        around += "#pragma omp parallel\n"
    return f"{around}{{\na[1] = 2;\n{statement(d)}\na[2] = 3;\n}}"


def program() -> str:
    """One function a directive; f is what `dispatch` calls."""
    lacks = registry().devices["cuda"].lacks
    out = ["#include <omp.h>\nint f(int n, int *x) { return n + x[0]; }"]
    for d in executable():
        if any(f"construct {c}" in lacks for c in (*d.constructs, d.name)) and d.name != "target":
            continue
        name = re.sub(r"\W", "_", d.name)
        out.append(f"void do_{name}(int n)\n{{\nint a[100] = {{0}};\n{region(d)}\n}}")
    return "\n".join(out)


@pytest.fixture(scope="module")
def kernels(load: Callable[[Path], TU], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    path = tmp_path_factory.mktemp("combinations") / "all.c"
    path.write_text(program())
    bundle = translate([load(path)], ["cuda"])
    assert [f"{d.location}: {d.message}" for d in bundle.diagnostics] == []
    return {name: data.decode() for name, data in bundle.files.items() if name.endswith(".cu")}


def test_all_are_there(kernels: dict[str, str]) -> None:
    assert len(kernels) >= 50
    assert any("do_parallel_masked_taskloop_simd_0" in name for name in kernels)


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("nested", [False, True])
def test_they_compile_for_the_simulator(kernels: dict[str, str], tmp_path: Path, generic: bool, nested: bool) -> None:
    """Kernels of one mode share the device library, so they can stand in one file, each in its own namespace."""
    mode = {"#define OMPLS_GENERIC": generic, "#define OMPLS_NESTED": nested}
    chosen = [text for text in kernels.values() if all((line in text) == is_on for line, is_on in mode.items())]
    path = tmp_path / "all.cu"
    path.write_text("\n".join(
        text if k == 0 else f"namespace n{k} {{\n{text}\n}}"
        for k, text in enumerate(chosen)
    ))  # fmt: skip
    command = ["g++", "-std=c++17", "-fsyntax-only", "-w", "-x", "c++", "-include", ENGINE / "prelude.h",
               "-I", LIBRARY, "-I", ENGINE, path]  # fmt: skip
    subprocess.run(command, check=True)


@pytest.mark.parametrize("arch", thinned(["sm_53", "sm_90"], 2, of_rest=2))
@pytest.mark.thorough
def test_they_compile_for_gpus(kernels: dict[str, str], arch: str, gpu_code: Callable[..., nvrtc.Compiled]) -> None:
    for name, text in kernels.items():
        gpu_code(text, arch, name, kind="ptx")
