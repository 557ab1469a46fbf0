"""The device tables say what the transformation sets do: what is supported compiles, what is not is a diagnostic."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import command
import pytest
from named import translate
from thinned import thinned
from together import together

from ompls import translate as translator
from ompls.analysis.model.tu import TU
from ompls.analysis.rules import RULES, check
from ompls.analysis.spec.devices import ABILITIES, DeviceSpec
from ompls.cli import refusals
from ompls.devices.cudasim.module import ENGINE, LIBRARY
from ompls.project.devices import registry
from ompls.project.targets import targets
from ompls.runtime.devices import all_devices, state_of
from ompls.translate import Bundle

LOOP = "for (int i = 0; i < 8; i++) a[i] = i;"
IN_PARALLEL = ("for", "sections", "single", "masked", "master", "scope", "barrier", "cancel", "cancellation point")


def construct(name: str, clauses: str = "", body: str = "a[0] = 1;") -> str:
    """A region with the construct in it, in a parallel construct where it belongs into one."""
    inner = f"#pragma omp {name} {clauses}\n{body}"
    return f"#pragma omp target map(a)\n{'#pragma omp parallel' if name in IN_PARALLEL else ''}\n{{\n{inner}\n}}"


BLOCKS = ("parallel", "single", "masked", "master", "scope", "task", "taskgroup", "critical", "assume",
          "taskgraph", "target")  # fmt: skip
LOOPS = ("for", "simd", "loop", "taskloop", "unroll", "reverse")
ALONE = ("taskyield", "taskwait", "barrier", "flush", "nothing")

# A use of each ability, in a function `f(int n, int *x)` with `int a[100]`.
USES: dict[str, str] = {
    **{f"construct {name}": construct(name) for name in (*BLOCKS, *ALONE)},
    **{f"construct {name}": construct(name, body=LOOP) for name in LOOPS},
    "construct sections": construct("sections", body="{ a[0] = 1; }"),
    "construct parallel sections": construct("parallel sections", body="{ a[0] = 1; }"),
    "construct dispatch": construct("dispatch", body="a[0] = factorial(3);"),
    "construct parallel single": construct("parallel single"),
    "construct distribute": f"#pragma omp target teams map(a)\n#pragma omp distribute\n{LOOP}",
    "construct atomic": construct("atomic", body="a[0]++;"),
    "construct ordered": construct("ordered"),
    "construct cancel": construct("cancel", "parallel", ";"),
    "construct cancellation point": construct("cancellation point", "parallel", ";"),
    "construct fuse": construct("fuse", body=f"{{ {LOOP} {LOOP} }}"),
    "construct interchange": construct("interchange", body=f"for (int k = 0; k < 3; k++) {LOOP}"),
    "construct tile": construct("tile", "sizes(2)", LOOP),
    "construct stripe": construct("stripe", "sizes(2)", LOOP),
    "construct split": construct("split", "counts(2, omp_fill)", LOOP),
    "construct error": construct("error", "at(execution)", ";"),
    "construct interop": "int o = 0;\n" + construct("interop", "use(o)", ";"),
    "construct depobj": "omp_depend_t o;\n" + construct("depobj", "(o) destroy", ";"),
    "construct target data": construct("target data", "map(a)"),
    "construct target update": construct("target update", "to(a)", ";"),
    "construct target enter data": construct("target enter data", "map(to: a)", ";"),
    "construct target exit data": construct("target exit data", "map(from: a)", ";"),
    "construct threadprivate": construct("threadprivate(a)", body=";"),
    "construct scan": "int s = 0;\n#pragma omp target map(a)\n#pragma omp parallel for reduction(inscan, +: s)\n"
    "for (int i = 0; i < 8; i++) { s += i;\n#pragma omp scan inclusive(s)\na[i] = s; }",
    "clause reduction of tasks": "#pragma omp target map(a) map(n)\n#pragma omp parallel\n#pragma omp single\n"
    "#pragma omp taskgroup task_reduction(+: n)\n{\n#pragma omp task in_reduction(+: n)\nn += 1;\n}",
    "clause reduction with task": "#pragma omp target map(a) map(n)\n#pragma omp parallel reduction(task, +: n)\n"
    "#pragma omp single\n{\n#pragma omp task in_reduction(+: n)\nn += 1;\n}",
    "clause detach": "omp_event_handle_t e;\n" + construct("task", "detach(e)"),
    "clause copyprivate": "#pragma omp target map(a)\n#pragma omp parallel firstprivate(n)\n{\n"
    "#pragma omp single copyprivate(n)\nn = 1;\na[0] = n;\n}",
    "clause copyin": "#pragma omp target map(a)\n#pragma omp parallel copyin(own)\na[0] = 1;",
    "clause ordered": f"#pragma omp target parallel for ordered map(a)\n{LOOP}",
    "clause compare": construct("atomic", "compare", "a[0] = a[0] == 1 ? 2 : a[0];"),
    "clause lastprivate on sections": construct("sections", "lastprivate(n)", "{ n = 1; }"),
    "clause lastprivate conditional": "#pragma omp target parallel for lastprivate(conditional: n) map(n)\n"
    "for (int i = 0; i < 8; i++) if (i < 4) n = i;",
    "clause reduction of a type of the user's": "#pragma omp declare reduction(own: int: omp_out += omp_in)\n"
    "#pragma omp target parallel for reduction(own: n)\nfor (int i = 0; i < 8; i++) n += i;",
    "clause reduction through a pointer": "#pragma omp target parallel for reduction(+: x[0:8])\n"
    "for (int i = 0; i < 8; i++) x[i] += i;",
    "clause device ancestor": "#pragma omp target device(ancestor: 1)\na[0] = 1;",
    "clause map mapper": "#pragma omp target map(mapper(default), tofrom: a)\na[0] = 1;",
    "section with a stride": "#pragma omp target map(a[0:2:2])\na[0] = 1;",
    "vla": "#pragma omp target map(a)\n{ int l[n]; l[0] = 1; a[0] = l[0]; }",
    "firstprivate vla": "int l[n]; l[0] = 1;\n#pragma omp target map(a) firstprivate(l)\na[0] = l[0];",
    "computed goto": "#pragma omp target map(a)\n{ void *p = &&l; goto *p; l: a[0] = 1; }",
    "alloca": "#pragma omp target map(a)\n{ int *p = __builtin_alloca(n); p[0] = 1; a[0] = p[0]; }",
    "varargs": "#pragma omp target map(a)\na[0] = sum(2, 1, 2);",
    "array literal": "#pragma omp target map(a)\n{ int *p = (int[]){1, 2}; a[0] = p[0]; }",
    "recursion": "#pragma omp target map(a)\na[0] = factorial(5);",
    "division": "#pragma omp target map(a)\na[0] = a[1] / n;",
    "type double": "double z = 1;\n#pragma omp target map(z)\nz = z * z;",
    "type long double": "long double z = 1;\n#pragma omp target map(z)\nz = z * z;",
    "type _Float128": "_Float128 z = 1;\n#pragma omp target map(z)\nz = z * z;",
    "type _Float16": "_Float16 z = 1;\n#pragma omp target map(z)\nz = z * z;",
    "type __int128": "__int128 z = 1;\n#pragma omp target map(z)\nz = z * z;",
    "type complex": "double _Complex z = 1;\n#pragma omp target map(z)\nz = z * z;",
    "atomic variable": "#pragma omp target map(a)\n{ _Atomic int z = 1; z += 2; a[0] = z; }",
    "goto": "#pragma omp target map(a)\n{ goto l; l: a[0] = 1; }",
    "switch": "#pragma omp target map(a)\nswitch (n) { case 1: a[0] = 1; break; default: a[0] = 2; }",
    "bit-field": "struct { int x: 3; } s = {0};\n#pragma omp target map(a) map(s)\n{ s.x = 1; a[0] = s.x; }",
    "function pointer": "#pragma omp target map(a)\n{ int (*g)(int) = factorial; a[0] = g(2); }",
    "static local": "#pragma omp target map(a)\n{ static int s; s++; a[0] = s; }",
    "statement expression": "#pragma omp target map(a)\na[0] = ({ int q = 1; q + 1; });",
    "object without size": "#pragma omp target map(a)\n{ struct none { } here; a[0] = sizeof here; }",
    "gcc layout": "struct s { char c; unsigned b : 3 __attribute__((aligned(2))); } s = {0};\n"
    "#pragma omp target map(s)\ns.c = 1;",
    "lock apart": "#pragma omp target parallel map(a)\n{ static omp_lock_t l; if (n) omp_set_lock(&l); a[0] = 1;"
    " if (n) omp_unset_lock(&l); }",
    "inline assembly": "#pragma omp target map(a)\n{ asm volatile (\"nop\" : : \"r\" (a[0])); }",
}  # fmt: skip
USES["clause reduction inscan"] = USES["construct scan"]

FOLDERS = Path(__file__).resolve().parents[1] / "devices/folders"
OURS = registry().devices


def _all() -> dict[str, DeviceSpec]:
    """Ours, and those that the tests bring."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMPLS_DEVICE_PATH", str(FOLDERS))
        return dict(registry().devices)


DEVICES = _all()


@pytest.fixture(autouse=True)
def from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(FOLDERS))


PROGRAM = """#include <omp.h>
#include <stdarg.h>
int own;
#pragma omp threadprivate(own)
int factorial(int x) {{ return x < 2 ? 1 : x * factorial(x - 1); }}
int sum(int k, ...) {{ va_list v; va_start(v, k); int s = va_arg(v, int); va_end(v); return s; }}
void f(int n, int *x)
{{
    int a[100] = {{0}};
    {}
}}
"""
GPU = ["g++", "-std=c++17", "-w", "-I", LIBRARY, "-I", ENGINE]
COMPILERS = {"host": ["gcc", "-fopenmp", "-w"], "cuda": [*GPU, "-x", "c++"]}
# gcc 12 does not know these pragmas' arguments or types outside of their headers; it leaves such a pragma out.
NOT_COMPILED = {"host": {"construct depobj", "clause detach", "construct interop"}, "cuda": set()}


@pytest.fixture(scope="session")
def included(once: Callable[[str, Callable[[Path], object]], Path]) -> dict[str, list[object]]:
    """What a kernel file includes first, with each compiler: CUDA's language, which is compiled ahead."""

    def make(place: Path) -> None:
        place.mkdir()
        (place / "prelude.h").write_text(f'#include "{ENGINE / "prelude.h"}"\n')
        words = ("-x", "c++-header", "-c", place / "prelude.h", "-o", place / "prelude.h.gch")
        subprocess.run([*GPU, *words], check=True)

    return {"host": [], "cuda": ["-include", once("included", make) / "prelude.h"]}


@pytest.fixture(scope="module")
def unit(load: Callable[[Path], TU], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TU]:
    """Each text is analysed once for all devices."""
    path = tmp_path_factory.mktemp("abilities") / "test.c"

    @cache
    def of_text(text: str) -> TU:
        path.write_text(text)
        return load(path)

    return of_text


def bundle_of(key: str, device: str, unit: Callable[[str], TU]) -> Bundle:
    return translate([unit(PROGRAM.format(USES[key]))], [device])


def test_every_ability_has_a_use_and_every_entry_an_ability() -> None:
    assert set(USES) == set(ABILITIES)
    for device in DEVICES.values():
        assert {*device.lacks, *device.slow, *device.older} <= set(ABILITIES), device.name
        assert not set(device.lacks) & set(device.slow), device.name
    assert {d.name for d in OURS.values() if not d.planned} == {"host", "cuda", "cudasim", "mpinode", "epiphany"}
    assert set(DEVICES) - set(OURS) == {folder.name for folder in FOLDERS.iterdir()}
    assert DEVICES["cudasim"].lacks == DEVICES["cuda"].lacks


@pytest.mark.parametrize(
    ("key", "device"), thinned([(key, device) for key in ABILITIES for device in COMPILERS], 15, of_rest=6)
)
def test_the_table_says_what_the_transformation_set_does(
    device: str, key: str, unit: Callable[[str], TU], included: dict[str, list[object]], tmp_path: Path
) -> None:
    bundle = bundle_of(key, device, unit)
    if key in DEVICES[device].lacks:
        assert bundle.files == {}
        assert bundle.diagnostics
        assert {d.rule for d in bundle.diagnostics} == {"untranslatable-construct"}
        return
    assert [d.message for d in bundle.diagnostics] == []
    kernels = [(name, data) for name, data in bundle.files.items() if name.startswith("kernels/")]
    assert kernels
    for name, data in kernels:
        path = tmp_path / Path(name).name
        path.write_bytes(data)
        if key not in NOT_COMPILED[device]:
            subprocess.run([*COMPILERS[device], *included[device], "-fsyntax-only", path], check=True)


# What is too large for some device: of a thread, and of what a team shares.
LARGE = {
    f"{what} of {size}": text.format(size=size)
    for size in (100, 3_000, 12_000, 40_000, 600_000)
    for what, text in {
        "a variable": "#pragma omp target map(a)\n{{ char l[{size}]; l[n] = 1; a[0] = l[n]; }}",
        "a private variable": "#pragma omp target parallel map(a)\n{{ char l[{size}]; l[n] = 1; a[0] = l[n]; }}",
        "a shared variable": "#pragma omp target map(a)\n{{ char l[{size}];\n#pragma omp parallel for\n"
        "for (int i = 0; i < 8; i++) l[i] = i;\na[0] = l[n]; }}",
        "a variable of a function": "#pragma omp target map(a)\na[0] = within_{size}(n);",
    }.items()
}
FUNCTIONS = "".join(
    f"int within_{size}(int n) {{{{ char l[{size}]; l[n] = 1; return l[n]; }}}}\n"
    for size in (100, 3_000, 12_000, 40_000, 600_000)
)
ASKED = {**{key: PROGRAM.format(use) for key, use in USES.items()},
         **{key: (FUNCTIONS + PROGRAM).format(use) for key, use in LARGE.items()}}  # fmt: skip


@together(("key", "device"), thinned([(key, device) for key in ASKED for device in DEVICES], 7, of_rest=4))
def test_check_says_what_translate_says(device: str, key: str, unit: Callable[[str], TU]) -> None:
    """Refused by both, or by none of them; of a planned device `check` alone knows."""
    spec = DEVICES[device]
    plain = unit(ASKED[key])
    tu = replace(plain, settings=replace(plain.settings, devices=(spec,), device_chosen=True), kept={})
    limits = [d for d in check(tu) if RULES[d.rule].group == "device-limits" and d.severity != "hint"]
    if spec.planned:
        refused = key in spec.lacks or (key in LARGE and 0 < spec.stack < int(key.rpartition(" ")[2]))
        assert bool(limits) == refused or any(d.severity == "error" for d in check(tu))
    else:
        refused = bool(translator.translate([tu], [spec], targets((spec,))).diagnostics)
        if key in spec.older:  # refused when it is built, where it is built for such a model
            assert limits
            assert not refused
            return
        assert not limits or refused
        assert refused == bool(limits or refusals.refused(tu))


@pytest.mark.parametrize("key", thinned(ABILITIES, 4, of_rest=3))
def test_whatever_a_device_lacks_is_refused_by_both(key: str, unit: Callable[[str], TU]) -> None:
    host = DEVICES["host"]
    if key in host.lacks:
        pytest.skip("`host` lacks it")
    poor = replace(host, name="poor", lacks={**host.lacks, key: "it is too poor"})
    plain = unit(PROGRAM.format(USES[key]))
    tu = replace(plain, settings=replace(plain.settings, devices=(poor,), device_chosen=True), kept={})
    assert any("poor: it is too poor" in d.message for d in check(tu))
    assert any("it is too poor" in d.message for d in translator.translate([tu], [poor], {}).diagnostics)


# What ends or stops a program by what it means (an error, an event that nobody fulfils), or is about host objects.
ENDS = {"construct error", "clause detach", *NOT_COMPILED["host"]}
MAIN = """#include <omp.h>
#include <stdarg.h>
static int factorial(int x) {{ return x < 2 ? 1 : x * factorial(x - 1); }}
static int sum(int k, ...) {{ va_list v; va_start(v, k); int s = va_arg(v, int); va_end(v); return s; }}
{functions}
int main(void)
{{
    int x[8] = {{0}};
{calls}
    return 0;
}}
"""
FUNCTION = "static void f{number}(int n, int *x)\n{{\n    int a[100] = {{0}};\n    {use}\n}}\n"


@cache
def programs() -> tuple[str, ...]:
    """The uses that the host's compiler takes: those in which it reports no error."""
    keys = [key for key in USES if key not in ENDS]
    functions = [
        f'#line 1 "{number}"\n{FUNCTION.format(number=number, use=USES[key])}' for number, key in enumerate(keys)
    ]
    command = ["gcc", "-fopenmp", "-w", "-fmax-errors=0", "-x", "c", "-", "-c", "-o", "/dev/null"]
    text = MAIN.format(functions="".join(functions), calls="")
    told = subprocess.run(command, input=text, text=True, capture_output=True, check=False).stderr
    wrong = {int(number) for number in re.findall(r"^(\d+):\d+:\d+: (?:fatal )?error: ", told, re.M)}
    return tuple(key for number, key in enumerate(keys) if number not in wrong)


# For the host all of it is one compiler's work, for a GPU that of a hundred; what runs there test_programs.py says.
# Devices of the tests are made of parts of ours (tests/devices).
LATER = (pytest.mark.thorough, pytest.mark.exhaustive)
BUILT = [
    pytest.param(d.name, marks=LATER[: (d.name != "host") + (d.name not in OURS)])
    for d in DEVICES.values()
    if not d.planned
]


@pytest.mark.parametrize("device", BUILT)
def test_what_is_built_runs(device: str, unit: Callable[[str], TU], tmp_path: Path) -> None:
    """All abilities that a device has, in one program: each region runs there, to its end."""
    state = state_of(all_devices()[device])
    if not state.available:
        pytest.skip(f"{device}: {state.reason}")
    able = [key for key in programs() if not bundle_of(key, device, unit).diagnostics]
    functions = [FUNCTION.format(number=number, use=USES[key]) for number, key in enumerate(able)]
    calls = "".join(f"    f{number}(3, x);\n" for number in range(len(able)))
    path, record = tmp_path / "x.c", tmp_path / "trace"
    path.write_text(MAIN.format(functions="".join(functions), calls=calls))
    done = command.ompls("run", "--device", device, "--trace", record, "-w", path,
                         env={**os.environ, "OMP_TARGET_OFFLOAD": "mandatory"})  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    kinds = [json.loads(line)["kind"] for line in record.read_text().splitlines()[1:]]
    assert kinds.count("launch") >= len(able)
