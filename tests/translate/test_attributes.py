"""Structures are laid out in kernels as gcc lays them out on the host, wherever their attributes stand.

One program has all forms: what the region finds of each (size, alignment, where members and bit-fields lie) is what
gcc finds.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from forms import FORMS, program
from named import translate
from together import together

from ompls.analysis.model.tu import TU
from ompls.devices.cuda.module import image, nvrtc


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("forms") / "forms.c"
    made.write_text(program([*FORMS]))
    return made


@pytest.mark.parametrize("device", ["cudasim", "host"])
def test_every_form_is_laid_out_as_on_the_host(device: str, source: Path) -> None:
    done = ompls("run", "--device", device, "-w", "-std=gnu2x", source)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("place", [pytest.param("function", marks=pytest.mark.thorough), "region"])
def test_forms_of_a_block_are_laid_out_as_on_the_host(place: str, tmp_path: Path) -> None:
    """The pragma is about what follows the function, and in blocks nobody here reads a bit-field of width 0."""
    source = tmp_path / "forms.c"
    source.write_text(program([n for n in FORMS if "#pragma" not in n and "width 0" not in n], place))
    done = ompls("run", "--device", "cudasim", "-w", "-std=gnu2x", source)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_a_gpu_has_every_form_as_on_the_host(source: Path, load: Callable[[Path], TU]) -> None:
    """NVIDIA's compiler folds all that the region finds into numbers."""
    if nvrtc.available() is None:
        pytest.skip("nvrtc is not installed (extra cuda-preview)")
    host = source.with_suffix("")
    subprocess.run(["gcc", "-w", "-std=gnu2x", source, "-o", host], check=True)
    wanted = subprocess.run([host], check=False, capture_output=True, text=True).stdout.split()
    (text,) = (text for path, text in translate([load(source)], ["cuda"]).files.items() if path.endswith(".cu"))
    made = nvrtc.compile(text, "sm_53", kind="ptx")
    assert made.ok, made.log
    constants = dict(re.findall(r"\bmov\.u64 \t(%rd\d+), (\d+);", made.code.decode()))
    stored = re.findall(r"\bst\.global\.u64 \t\[%rd\d+(?:\+(\d+))?\], (%rd\d+);", made.code.decode())
    found = {int(at or 0) // 8: constants[value] for at, value in stored}
    assert [found.get(k) for k in range(len(wanted))] == wanted


LOADS = """
struct body { float x, y, z, m; } __attribute__((aligned(16)));
void sums(int n, const struct body *p, float *a)
{
    #pragma omp target teams distribute parallel for map(to: p[0:n]) map(from: a[0:n])
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < n; j++) s += p[j].m * (p[j].x - p[i].x + p[j].y - p[i].y + p[j].z - p[i].z);
        a[i] = s;
    }
}
"""


def test_what_is_aligned_to_16_bytes_is_loaded_by_16_bytes(unit: Callable[[str], TU]) -> None:
    if nvrtc.available() is None:
        pytest.skip("nvrtc is not installed (extra cuda-preview)")
    (text,) = (text for path, text in translate([unit(LOADS)], ["cuda"]).files.items() if path.endswith(".cu"))
    made = nvrtc.compile(text, "sm_70", kind="ptx", options=[image.RESTRICT])
    assert made.ok, made.log
    loads = set(re.findall(r"\bld\.global(?:\.nc)?\.(\S+)", made.code.decode()))
    assert loads == {"v4.f32"}, loads


# What compilers for GPUs do otherwise, whatever is written: (declarations, what is named, on which line).
UNLIKE = {
    "bit-field under #pragma pack":
        ("#pragma pack(1)\nstruct s {\n  char x; int b : 30;\n};\n#pragma pack()\n", "the bit-field 'b'", 3),
    "width 0 in a packed structure":
        ("struct __attribute__((packed)) s { char x; int : 0; char y; };\n", "a bit-field without a name", 1),
    "aligned bit-field in a packed structure":
        ("struct s {\n  char x;\n  int b : 3 __attribute__((aligned(4)));\n} __attribute__((packed));\n",
         "the bit-field 'b'", 3),
    "bit-field of an aligned type":
        ("typedef int t __attribute__((aligned(8)));\nstruct s { char x; t b : 3; };\n", "the bit-field 'b'", 2),
    "less aligned member": ("struct s { char x;\n  int y __attribute__((aligned(2))); };\n", "the member 'y'", 2),
    "less aligned type":
        ("typedef double t __attribute__((aligned(2)));\nstruct s { char x;\n  t y[3]; };\n", "the member 'y'", 3),
    "_Alignas without a name":
        ("struct s { char x; _Alignas(16) struct { char y; }; };\n", "a member without a name", 1),
    "alignment that is not known":
        ("struct s { char x; char y __attribute__((aligned(8), aligned(16))); };\n", "the member 'y'", 1),
    "vector": ("typedef float v4 __attribute__((vector_size(16)));\nstruct s { char x; v4 y; };\n", "v4", 1),
    "union of no size":
        ("struct s { union {\n  int : 0; }; unsigned x : 29 __attribute__((packed)); char y : 1; };\n",
         "a member without a name", 1),
    "structures of no size": ("struct s { int x;\n  struct { } y[2]; };\n", "the member 'y'", 2),
    "structure of no size, with a tag": ("struct e { };\nstruct s { int x;\n  struct e y; };\n", "the member 'y'", 3),
    "less aligned structure":
        ("struct __attribute__((packed, aligned(2))) s { char x;\n  _Alignas(8) _Bool y; unsigned short b : 7; };\n",
         "the member 'y'", 2),
    "_Alignas under #pragma pack":
        ("#pragma pack(push, 4)\nunion s {\n  int x; _Alignas(32) char *y; };\n#pragma pack(pop)\n",
         "the member 'y'", 3),
    "less aligned bit-field":
        ("struct s { char x; unsigned short b : 13;\n  unsigned long long c : 26 __attribute__((aligned(4))); };\n",
         "the bit-field 'c'", 2),
    "structure without a tag":
        ("struct s { char x; struct {\n  int b : 3 __attribute__((aligned(4))); } __attribute__((packed)) y; };\n",
         "the bit-field 'b'", 2),
}  # fmt: skip
USED = "void f(struct s *p)\n{\n#pragma omp target map(tofrom: p[0:1])\n  p->x = sizeof(struct s);\n}\n"


@together("name", UNLIKE)
def test_what_gpus_lay_out_otherwise_is_refused_at_its_line(name: str, unit: Callable[[str], TU]) -> None:
    text, what, line = UNLIKE[name]
    refused = translate([unit(text + USED)], ["cudasim"])
    (found,) = refused.diagnostics
    assert what in found.message
    assert (text + USED)[: found.where.start].count("\n") + 1 == line
    inside = f"void f(int *p)\n{{\n#pragma omp target map(p[0:1])\n{{\n{text}\n*p = sizeof(struct s);\n}}\n}}\n"
    if "pragma" not in text and ": 0" not in text:  # one is about what follows the function, one is not read there
        assert what in translate([unit(inside)], ["cudasim"]).diagnostics[0].message
    if name != "vector":
        assert translate([unit(text + USED)], ["host"]).files


def test_packing_reaches_no_type_in_a_kernel(unit: Callable[[str], TU]) -> None:
    text = "#pragma pack(1)\nvoid f(int *p)\n{\n#pragma omp target map(p[0:1])\n"
    text += "{\n  struct s { char c; int i; } x = {1, 2};\n  *p = x.i;\n}\n}\n"
    (found,) = translate([unit(text)], ["host"]).diagnostics
    assert "'struct s' under '#pragma pack'" in found.message
    assert text[: found.where.start].count("\n") + 1 == 6


@pytest.mark.parametrize("width", ["0; double f; int g : 9", "N; int y"])
def test_a_width_that_is_misread_behind_an_enumeration_asserts_no_layout(width: str, unit: Callable[[str], TU]) -> None:
    """It was that of a structure with other members: what gcc takes did not compile."""
    text = f"enum e {{ A, N = 3 }};\nstruct s {{ double x; unsigned b : 28; enum e : {width}; }};\n"
    files = translate([unit(text + USED)], ["host"]).files
    assert files
    assert not any(b"the layout of struct s differs" in made for made in files.values())


WRONG = "struct s {\n  char c;\n  long l;\n} __attribute__((packed));\n" + USED.replace("x =", "c =")


def test_a_layout_that_differs_is_an_error_at_the_structure(unit: Callable[[str], TU]) -> None:
    """As when a compiler reads an attribute otherwise: here it is taken away behind the translator's back."""
    made = translate([unit(WRONG)], ["cuda", "host"]).files
    gpu = next(text for path, text in made.items() if path.endswith(".cu")).decode()
    gpu = gpu.replace("__attribute__((packed))", "")
    if nvrtc.available() is not None:
        done = nvrtc.compile(gpu, "sm_75", kind="ptx")
        assert {(Path(m.file).name, m.line) for m in done.messages} == {("test.c", 1)}, done.log
        assert "the layout of struct s differs between host and kernels" in done.log
    kernel = next(text for path, text in made.items() if path.startswith("kernels/default"))
    for text in (kernel.decode(), made["host/test.inc/ompls_end.h"].decode()):
        if "kernel of class" not in text:
            text = WRONG.partition("void")[0] + text.partition('#line 1 "<ompls>"')[0]  # noqa: PLW2901
        c = text.replace("__attribute__((packed))", "")
        gcc = subprocess.run(
            ["gcc", "-fsyntax-only", "-w", "-x", "c", "-"], input=c, capture_output=True, text=True, check=False
        )
        errors = [line for line in gcc.stderr.splitlines() if " error: " in line]
        assert len(errors) == 1
        assert re.search(r"test\.c:1:\d+: error: static assertion failed", errors[0])
