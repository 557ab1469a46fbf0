"""The device tables say what the transformation sets do: what is supported compiles, what is not is a diagnostic."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from named import translate
from thinned import thinned

from ompls import translate as translator
from ompls.analysis.model.tu import TU
from ompls.analysis.rules import RULES, check
from ompls.analysis.spec.devices import ABILITIES
from ompls.cli import refusals
from ompls.project.devices import registry
from ompls.translate import Bundle

RUNTIME = Path(__file__).resolve().parents[2] / "ompls/runtime"
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
    "construct interop": "long o = 0;\n" + construct("interop", "use(o)", ";"),
    "construct depobj": "omp_depend_t o;\n" + construct("depobj", "(o) destroy", ";"),
    "construct target data": construct("target data", "map(a)"),
    "construct target update": construct("target update", "to(a)", ";"),
    "construct target enter data": construct("target enter data", "map(to: a)", ";"),
    "construct target exit data": construct("target exit data", "map(from: a)", ";"),
    "construct threadprivate": construct("threadprivate(a)", body=";"),
    "construct scan": "int s = 0;\n#pragma omp target map(a)\n#pragma omp parallel for reduction(inscan, +: s)\n"
    "for (int i = 0; i < 8; i++) { s += i;\n#pragma omp scan inclusive(s)\na[i] = s; }",
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
    "inline assembly": "#pragma omp target map(a)\n{ asm volatile (\"nop\" : : \"r\" (a[0])); }",
}  # fmt: skip
USES["clause reduction inscan"] = USES["construct scan"]

DEVICES = registry().devices
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
GPU = ["g++", "-std=c++17", "-fsyntax-only", "-w", "-x", "c++", "-include", RUNTIME / "device_lib/cudasim/prelude.h",
       "-I", RUNTIME / "device_lib/cuda", "-I", RUNTIME / "device_lib/cudasim"]  # fmt: skip
COMPILERS = {"host": ["gcc", "-fopenmp", "-fsyntax-only", "-w"], "cuda": GPU}
# gcc 12 does not know these pragmas' arguments or types outside of their headers; it leaves such a pragma out.
NOT_COMPILED = {"host": {"construct depobj", "clause detach", "construct interop"}, "cuda": set()}


def bundle_of(key: str, device: str, unit: Callable[[str], TU]) -> Bundle:
    return translate([unit(PROGRAM.format(USES[key]))], [device])


def test_every_ability_has_a_use_and_every_entry_an_ability() -> None:
    assert set(USES) == set(ABILITIES)
    for device in DEVICES.values():
        assert {*device.lacks, *device.slow} <= set(ABILITIES), device.name
        assert not set(device.lacks) & set(device.slow), device.name
    assert {d.name for d in DEVICES.values() if not d.planned} == {"host", "cuda", "cudasim"}
    assert DEVICES["cudasim"].lacks == DEVICES["cuda"].lacks


@pytest.mark.parametrize(("key", "device"), thinned([(key, device) for key in ABILITIES for device in COMPILERS], 5))
def test_the_table_says_what_the_transformation_set_does(
    device: str, key: str, unit: Callable[[str], TU], tmp_path: Path
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
            subprocess.run([*COMPILERS[device], path], check=True)


@pytest.mark.parametrize(("key", "device"), thinned([(key, device) for key in ABILITIES for device in DEVICES], 7))
def test_check_says_what_translate_says(device: str, key: str, unit: Callable[[str], TU]) -> None:
    """Refused by both, or by none of them; of a planned device `check` alone knows."""
    spec = DEVICES[device]
    plain = unit(PROGRAM.format(USES[key]))
    tu = replace(plain, settings=replace(plain.settings, devices=(spec,), device_chosen=True), kept={})
    limits = [d for d in check(tu) if RULES[d.rule].group == "device-limits" and d.severity != "hint"]
    if spec.planned:
        refused = key in spec.lacks
        assert bool(limits) == refused or any(d.severity == "error" for d in check(tu))
    else:
        refused = bool(translator.translate([tu], [spec]).diagnostics)
        assert not limits or refused
        assert refused == bool(limits or refusals.refused(tu))


@pytest.mark.parametrize("key", thinned(ABILITIES, 4))
def test_whatever_a_device_lacks_is_refused_by_both(key: str, unit: Callable[[str], TU]) -> None:
    host = DEVICES["host"]
    if key in host.lacks:
        pytest.skip("`host` lacks it")
    poor = replace(host, name="poor", lacks={**host.lacks, key: "it is too poor"})
    plain = unit(PROGRAM.format(USES[key]))
    tu = replace(plain, settings=replace(plain.settings, devices=(poor,), device_chosen=True), kept={})
    assert any("poor: it is too poor" in d.message for d in check(tu))
    assert any("it is too poor" in d.message for d in translator.translate([tu], [poor]).diagnostics)
