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
from named import translate

from ompls.analysis.model.tu import TU
from ompls.devices.cuda.module import image, nvrtc

# Declarations of a type NAME whose members are looked at: x, y, z by their addresses, bit-fields a, b, c by their bits.
FORMS = {
    "before the tag": "struct __attribute__((aligned(16))) NAME { float x, y, z; };",
    "packed": "struct __attribute__((packed)) NAME { char x; int y; };",
    "packed and aligned": "struct __attribute__((packed, aligned(4))) NAME { char x; double y; };",
    "two attributes": "struct __attribute__((packed)) __attribute__((__aligned__(2))) NAME { char x; int y; };",
    "union": "union __attribute__((packed)) NAME { char x[5]; int y; };",
    "behind the brace": "struct NAME { float x, y, z; } __attribute__((aligned(16)));",
    "packed behind the brace": "struct NAME { char x; int y; } __attribute__((packed));",
    "typedef behind the brace": "typedef struct { char x; double y; } __attribute__((packed)) NAME;",
    "typedef's own": "typedef struct { float x, y, z; } NAME __attribute__((aligned(16)));",
    "packed typedef": "typedef struct { char x; double y; } NAME __attribute__((packed));",
    "before typedef": "__attribute__((aligned(16))) typedef struct { float x, y; } NAME;",
    "behind typedef": "typedef __attribute__((aligned(16))) struct { float x, y; } NAME;",
    "typedef with a tag": "typedef struct __attribute__((aligned(16))) NAME_ { float x, y, z; } NAME;",
    "typedef without a tag": "typedef struct __attribute__((packed)) { char x; long y; } NAME;",
    "both places": "struct __attribute__((packed)) NAME { char x; int y; } __attribute__((aligned(2)));",
    "member": "struct NAME { char x; int y __attribute__((aligned(16))); };",
    "packed member": "struct NAME { char x; int y __attribute__((packed)); };",
    "before a member": "struct NAME { char x; __attribute__((packed)) int y; };",
    "members of one declaration": "struct NAME { char x; char __attribute__((aligned(8))) y, z; };",
    "one of two members": "struct NAME { char x; char y __attribute__((aligned(8))), z; };",
    "array": "struct NAME { char x; char y[3] __attribute__((aligned(8))); };",
    "pointer": "struct NAME { char x; char *__attribute__((aligned(32))) y; };",
    "typedef of a member": "typedef int NAME_t __attribute__((aligned(32))); struct NAME { char x; NAME_t y; };",
    "typedef in a packed one":
        "typedef short NAME_t __attribute__((aligned(8))); struct __attribute__((packed)) NAME { char x; NAME_t y; };",
    "member of a packed one":
        "struct __attribute__((packed)) NAME { char x; int y __attribute__((aligned(4))); char z; };",
    "structure in a packed one": "struct __attribute__((aligned(8))) NAME_in { char c; };"
        " struct __attribute__((packed)) NAME { char x; struct NAME_in y; char z; };",
    "structure as a member": "struct __attribute__((aligned(32))) NAME_in { char c; };"
        " struct NAME { int x; struct NAME_in y[2]; int z; };",
    "array of structures": "struct NAME_in { char c; int i; } __attribute__((packed));"
        " struct NAME { char x; struct NAME_in y[3]; };",
    "inner": "struct NAME { char x; struct __attribute__((packed)) { char d; int i; } y; };",
    "inner, behind": "struct NAME { char x; struct { char d; int i; } __attribute__((packed)) y; };",
    "inner with a tag": "struct NAME { char x; struct NAME_in { char d; } __attribute__((aligned(16))) y; char z; };",
    "inner of an inner": "struct NAME { char x; struct NAME_1 { char d; struct NAME_2 { char e; int f; }"
        " __attribute__((packed)) g; } __attribute__((aligned(2))) y; char z; };",
    "nameless": "struct NAME { char x; struct { char d; int y; } __attribute__((packed)); };",
    "nameless union": "struct NAME { char x; union { char y; char z; } __attribute__((aligned(16))); };",
    "nameless, of its declaration": "struct NAME { char x; __attribute__((aligned(16))) struct { char y; }; };",
    "nameless in a packed one": "struct __attribute__((packed)) NAME { char x; union { int y; char z; }; };",
    "_Alignas": "struct NAME { char x; _Alignas(16) float y[3]; };",
    "_Alignas of a type": "struct NAME { char x; _Alignas(double) char y; };",
    "a number's name": "enum { NAME_n = 32 }; struct __attribute__((aligned(NAME_n))) NAME { char x; };",
    "an expression": "struct __attribute__((aligned(4 * sizeof(int)))) NAME { char x; };",
    "an alignment": "struct NAME { char x; } __attribute__((aligned(_Alignof(double))));",
    "no number": "struct NAME { char x; char y; } __attribute__((aligned));",
    "macro": "struct NAME { char x; int y; } PACKED;",
    "macro with an argument": "struct ALIGNED(16) NAME { char x; int y; };",
    "C23": "struct [[gnu::packed]] NAME { char x; int y; };",
    "C23, a number": "struct [[gnu::aligned(16), gnu::packed]] NAME { char x; int y; };",
    "C23, behind the brace": "struct NAME { char x; int y; } [[gnu::packed]];",
    "C23, member": "struct NAME { char x; int y [[gnu::packed]]; char z [[gnu::aligned(8)]]; };",
    "C23, typedef": "typedef char NAME_t [[gnu::aligned(8)]]; struct NAME { char x; NAME_t y; };",
    "enumeration": "enum __attribute__((packed)) NAME_e { NAME_E = 3 }; struct NAME { char x; enum NAME_e y; };",
    "enumeration, behind":
        "enum NAME_e { NAME_E = -300 } __attribute__((packed)); struct NAME { char x; enum NAME_e y; };",
    "aligned enumeration":
        "enum NAME_e { NAME_E } __attribute__((aligned(16))); struct NAME { char x; enum NAME_e y; };",
    "bit-fields": "struct NAME { char x; int a : 3; int b : 30; char y; };",
    "packed bit-fields": "struct NAME { char x; int a : 3; int b : 30; char y; } __attribute__((packed));",
    "a packed bit-field": "struct NAME { int a : 3; __attribute__((packed)) int b : 30; char y; };",
    "aligned bit-field": "struct NAME { char x; int a : 3 __attribute__((aligned(8))); int b : 3; char y; };",
    "wide bit-field": "struct NAME { char x; unsigned long long a : 40; char y; };",
    "bit-field of width 0": "struct NAME { char x; int : 0; char y; };",
    "#pragma pack": "\n#pragma pack(push, 2)\nstruct NAME { char x; double y; };\n#pragma pack(pop)\n",
    "#pragma pack, aligned member":
        "\n#pragma pack(push, 2)\nstruct NAME { char x; double y __attribute__((aligned(8))); };\n#pragma pack(pop)\n",
    "#pragma pack, aligned": "struct __attribute__((aligned(8))) NAME_in { char c; };"
        "\n#pragma pack(2)\nstruct NAME { char x; struct NAME_in y; } __attribute__((aligned(4)));\n#pragma pack()\n",
    "__extension__": "__extension__ struct NAME { char x; __extension__ struct { int y; } __attribute__((packed)); };",
    "flexible": "struct NAME { char x; int y[]; };",
    "flexible and packed": "struct NAME { char x; int y[]; } __attribute__((packed));",
    "wide number": "struct NAME { char x; __int128 y; } __attribute__((packed, aligned(2)));",
}  # fmt: skip
DEFINED = """#include <stdio.h>
#include <string.h>
#define PACKED __attribute__((packed))
#define ALIGNED(n) __attribute__((__aligned__(n)))
"""


def of_form(name: str, number: int) -> tuple[str, str]:
    """(its declarations, statements that write what is to be known of it to `*o++`)."""
    text = FORMS[name].replace("NAME", f"t{number}")
    tagged = re.search(rf"\b(?:struct|union)\b[^{{}};]*\bt{number}\s*\{{", text)
    kind = f"{tagged.group().split()[0]} t{number}" if tagged else f"t{number}"
    body = text[re.search(r"\bstruct[^;]*\{|\bunion[^;]*\{", text).start() :]  # type: ignore[union-attr]
    out = [f"*o++ = {number};", f"*o++ = sizeof({kind});", f"*o++ = _Alignof({kind});", f"{kind} v;"]
    for member in "xyz":
        if re.search(rf"\b{member}\b(?!\s*:)", body) and not re.search(rf"\b{member}\[\]", body):
            out.append(f"*o++ = (char *)&v.{member} - (char *)&v;")
    for bits in re.findall(r"\b([abc]) : ", body):
        out.append(f"memset(&v, 0, sizeof v); v.{bits} = -1;")
        out.append("for (int i = 0; i < (int)sizeof v; i++) *o++ = ((unsigned char *)&v)[i];")
    return text, "{ " + " ".join(out) + " }"


def program(names: list[str]) -> str:
    forms = [of_form(name, number) for number, name in enumerate(names)]
    declared = "\n".join(text for text, _ in forms)
    looked = "\n".join(text for _, text in forms)
    return f"""{DEFINED}{declared}
int main(void)
{{
    static long there[4000], here[4000];
    int length = 0;
    #pragma omp target map(from: there, length)
    {{
        long *o = there;
        {looked}
        length = o - there;
    }}
    long *o = here;
    {looked}
    for (int i = 0; i < o - here; i++) printf("%ld\\n", here[i]);
    return length != o - here || memcmp(here, there, length * sizeof *here) != 0;
}}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("forms") / "forms.c"
    made.write_text(program([*FORMS]))
    return made


@pytest.mark.parametrize("device", ["cudasim", "host"])
def test_every_form_is_laid_out_as_on_the_host(device: str, source: Path) -> None:
    done = ompls("run", "--device", device, "-w", "-std=gnu2x", source)
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
    "structure without a tag":
        ("struct s { char x; struct {\n  int b : 3 __attribute__((aligned(4))); } __attribute__((packed)) y; };\n",
         "the bit-field 'b'", 2),
}  # fmt: skip
USED = "void f(struct s *p)\n{\n#pragma omp target map(tofrom: p[0:1])\n  p->x = sizeof(struct s);\n}\n"


@pytest.mark.parametrize("name", UNLIKE)
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
