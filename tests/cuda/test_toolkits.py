"""Every kernel compiles with the compilers of CUDA 10.2, 11.8 and 13.0 (`make test-cuda102` fetches them)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command import ompls
from forms import FORMS, program

from ompls.devices.cuda.module import image as cuda_image

ROOT = Path(__file__).resolve().parents[2]
TOOLKITS = Path(os.environ.get("OMPLS_TOOLKITS", "none"))
PROGRAMS = sorted((ROOT / "tests/translate/programs").rglob("*.c"))
EXAMPLES = [*sorted((ROOT / "examples").glob("*.c")), *sorted((ROOT / "bench/gpu/omp").glob("*.c"))]
WITHOUT_MAIN = ("shapes", "suites")  # functions only
# What is asked for, and the (kind, compute capability) of what comes.  NVIDIA's library of 10.2 for x86-64 lacks 5.3,
# that of the board has it; no nvcc of today has it, either.
GENERATIONS = {
    "10.2": ("sm_53,compute_75", [("ptx", 52), ("ptx", 75)]),
    "11.8": ("sm_37,sm_53,sm_90", [("cubin", 37), ("cubin", 53), ("cubin", 90)]),
    "13.0": ("sm_75,sm_121,sm_990", [("cubin", 75), ("cubin", 121), ("ptx", 121)]),
}
# What 10.2 says of what it lacks (docs/devices.md).
NAMELESS = "structures without a name inside of others"
REFUSED = dict.fromkeys(("gnu_c", "initializers"), f"nvrtc 10.2 has no {NAMELESS}; CUDA 12.9 and later have")
LOCKING = ("locks_in_functions",)  # its locks are refused before sm_70
CASES = [*((version, path) for version in GENERATIONS for path in EXAMPLES), *(("10.2", path) for path in PROGRAMS)]


def library(version: str) -> str:
    if "OMPLS_TOOLKITS" not in os.environ:
        pytest.skip("OMPLS_TOOLKITS is not set; `make test-cuda102` fetches the compilers and sets it")
    found = sorted((TOOLKITS / version).glob("libnvrtc[-.]*"))
    assert found, f"nvrtc {version} is not in OMPLS_TOOLKITS"
    return str(next(path for path in found if "builtins" not in path.name))


@pytest.mark.parametrize(("version", "path"), CASES, ids=lambda value: getattr(value, "stem", value))
def test_all_kernels_compile(version: str, path: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    main = tmp_path / "main.c"
    main.write_text("int main(void) { return 0; }\n")
    sources = [path, main] if path.stem in WITHOUT_MAIN else [path]
    words = ("cc", "-w", "-fopenmp", "-fopenmp-targets=cuda", *sources, "-lm", "-o", program)
    one = GENERATIONS[version][0] if path in EXAMPLES else "sm_75" if path.stem in LOCKING else "sm_53"
    done = ompls(*words, env={**os.environ, "OMPLS_CUDA_ARCH": one, "OMPLS_NVRTC": library(version)})
    refused = REFUSED.get(path.stem)
    if version == "10.2" and refused is not None:
        assert done.returncode == 1
        assert refused in done.stderr
        return
    assert (done.returncode, done.stderr) == (0, "")
    text = program.read_bytes()
    if path in EXAMPLES:
        at = text.rindex(cuda_image.MAGIC)  # the module that reads images has it, too
        file = cuda_image.unpack(text[at:])[0]
        assert [(code.kind, code.capability) for code in file.code] == GENERATIONS[version][1]


# Structures that older compilers lack: (the first version that has them, what 10.2 or 11.8 is told to lack).
PACKED_BITS = ("11.8", "bit-fields in packed structures")
LACKED = {
    **dict.fromkeys(("nameless", "nameless, of its declaration", "__extension__"), ("12.9", NAMELESS)),
    **dict.fromkeys(("packed bit-fields", "a packed bit-field"), PACKED_BITS),
    "wide number": ("11.5", "__int128"),
}


def lacks(version: str, form: str) -> bool:
    since = LACKED[form][0] if form in LACKED else "0.0"
    return [int(x) for x in version.split(".")] < [int(x) for x in since.split(".")]


def built(text: str, version: str, place: Path) -> tuple[int, str]:
    source = place / "forms.c"
    source.write_text(text)
    words = ("cc", "-w", "-std=gnu2x", "-fopenmp", "-fopenmp-targets=cuda", source, "-o", place / "program")
    done = ompls(*words, env={**os.environ, "OMPLS_CUDA_ARCH": "compute_75", "OMPLS_NVRTC": library(version)})
    return done.returncode, done.stderr


@pytest.mark.parametrize("version", GENERATIONS)
def test_structures_are_laid_out_alike(version: str, tmp_path: Path) -> None:
    """Each kernel asserts that they are."""
    assert built(program([name for name in FORMS if not lacks(version, name)]), version, tmp_path) == (0, "")


@pytest.mark.parametrize(("version", "form"), [(v, form) for v in GENERATIONS for form in LACKED if lacks(v, form)])
def test_structures_that_a_compiler_lacks_are_refused_at_their_line(version: str, form: str, tmp_path: Path) -> None:
    text = program([form])
    code, said = built(text, version, tmp_path)
    assert code == 1
    assert f"nvrtc {version} has no {LACKED[form][1]}; CUDA {LACKED[form][0]} and later have" in said
    line = text[: text.index("t0 {")].count("\n") + 1
    assert f"forms.c:{line}:" in said
