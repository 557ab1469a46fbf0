"""What a device lays out otherwise than the host: `check` and `translate` refuse the same of each device."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from machines import command_of, snapshot_of

from ompls import translate as translator
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.rules import check
from ompls.analysis.source import HeaderUnit, Settings
from ompls.analysis.spec.devices import DeviceSpec
from ompls.project.devices import registry
from ompls.project.targets import targets

RUNTIME = Path(__file__).resolve().parents[2] / "ompls/runtime/core"
BOARD = 'title = "a board"\nlike = "host"\n[abi]\nmodel = "ilp32"\nchar = "unsigned"\n'
NAMES = [*registry().devices, "board"]

# What a region shares; and, where a device with the model ilp32 has it otherwise, the innermost part that differs.
SHARED: dict[str, tuple[str, str]] = {
    "int *": ("", "int *a; | map(a[0:n]) | a[0] = 1;"),
    "float": ("", "float z = 1; | map(z) | z = 2;"),
    "double[]": ("", "double z[4]; | map(z) | z[1] = 2;"),
    "char": ("", "char z = 1; | map(z) | z++;"),
    "int32_t": ("", "int32_t z = 1; | map(z) | z++;"),
    "int64_t": ("", "int64_t z = 1; | map(z) | z++;"),
    "uint64_t by value": ("", "uint64_t z = 1; | firstprivate(z) | z++;"),
    "uintmax_t in a structure": ("", "struct { char c; uintmax_t u; } z = {0}; | map(z) | z.u++;"),
    "typedef of int64_t": ("", "typedef int64_t own; own *z; | map(z[0:n]) | z[0]++;"),
    "numbers": ("", "struct { double d; short s; char c[2]; int b: 3; } z = {0}; | map(z) | z.d++;"),
    "long long": ("", "long long z = 1; | map(z) | z++;"),
    "vla": ("", "int z[n]; z[0] = 1; | firstprivate(z) | z[0]++;"),
    "a pointer of its own": ("", "int *z; | is_device_ptr(z) | z[0]++;"),
    "long in the region": ("", "int *z; | map(z[0:n]) | { long k = n; void *p = z; z[0] = k + (p == z); }"),
    "long": ("`z`", "long z = 1; | map(z) | z++;"),
    "long[]": ("`z`", "long z[4]; | map(z) | z[1] = 2;"),
    "long *": ("`z`", "long *z; | map(z[0:n]) | z[1] = 2;"),
    "size_t by value": ("`z`", "size_t z = n; int *a; | map(a[0:n]) | a[0] = z;"),
    "pointer that is mapped": ("`z`", "int *z; | map(z) | z++;"),
    "pointer to long by value": ("`z`", "long *z; | firstprivate(z) | z++;"),
    "pointer by value": ("", "int *z; | firstprivate(z) | z++;"),
    "pointers": ("`z`", "int **z; | map(z[0:n]) | z[0]++;"),
    "long double": ("`z`", "long double z = 1; | map(z) | z++;"),
    "device pointer to long": ("`z`", "long *z; | is_device_ptr(z) | z[0]++;"),
    "member": ("member `next`", "struct s { int v; struct s *next; } z; | map(z) | z.v++;"),
    "member of a member": ("member `l` of `struct in`",
                           "struct in { int k; long l; }; struct { struct in a[2]; } z;"
                           " | map(z) | z.a[1].k++;"),
    "part of a structure": ("member `l`", "struct s { int v; long l; } *z; | map(z->v) | z->v++;"),
    "behind a member": ("member `p`", "struct s { int v; int *p; } *z; | map(z->p[0:n]) | z->p[0]++;"),
    "union": ("member `p`", "union { int v; void *p; } z; | map(z) | z.v++;"),
    "size of a loop": ("`sizeof` of `long`", "int *z; | map(z[0:n]) | for (int i = 0; i < sizeof(long); i++) z[i]++;"),
}  # fmt: skip
SINGLE = ("long", "size_t by value")  # shared with a device that says `wide_long`


def program(text: str) -> str:
    """`declarations | clause | body` as a region in a function."""
    declarations, clause, body = text.split("|")
    head = "#include <stdint.h>\n#include <stddef.h>\n"
    return f"{head}void f(int n) {{\n{declarations}\n#pragma omp target {clause}\n{{ {body} }}\n}}\n"


@pytest.fixture
def devices(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> dict[str, DeviceSpec]:
    folder = tmp_path_factory.mktemp("devices") / "board"
    folder.mkdir()
    (folder / "device.toml").write_text(BOARD)
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(folder.parent))
    return dict(registry().devices)


@pytest.mark.parametrize("name", NAMES)
def test_check_and_translate_refuse_the_same(
    name: str, unit: Callable[[str], TU], devices: dict[str, DeviceSpec]
) -> None:
    device = devices[name]
    for key, (otherwise, text) in SHARED.items():
        differs = "" if device.wide_long and key in SINGLE else otherwise
        plain = unit(program(text))
        tu = replace(plain, settings=replace(plain.settings, devices=(device,), device_chosen=True), kept={})
        said = [d.message for d in check(tu) if d.rule == "device-layout"]
        if device.abi:
            assert len(said) == bool(differs), (key, said)
            assert all(differs in message and name in message for message in said), (key, said)
        else:
            assert said == [], key
        if device.planned:
            continue
        told = [d.message for d in translator.translate([tu], [device], targets((device,))).diagnostics]
        refused = [m for m in told if "the host" in m]
        if key == "long double" and "type long double" in device.lacks:  # there is no need for it to be the host's
            assert told
            continue
        assert len(refused) == len(said), (key, refused)
        assert all(differs.replace("`", "'") in message for message in refused), (key, refused)


def test_a_kernel_has_types_of_the_same_size(unit: Callable[[str], TU], devices: dict[str, DeviceSpec]) -> None:
    """Compiled for a machine with the model of the board: what is shared is as large as on the host."""
    text = "struct s { char c; int64_t u; }; struct s *z; int64_t k = 1; | map(z[0:n]) | z[0].u = k;"
    bundle = translator.translate([unit(program(text))], [devices["board"]], {})
    kernel = next(t.decode() for path, t in bundle.files.items() if path.startswith("kernels/"))
    command = [*command_of("armhf"), "-fopenmp", "-fsyntax-only", "-Wall", "-Werror", "-x", "c", "-"]
    check = '_Static_assert(sizeof(int64_t) == 8 && sizeof(long) == 4, "");\n'
    subprocess.run(command, check=True, input=kernel + check, text=True)
    # A length that is the size of a type is not seen beforehand: the compiler refuses it.
    hidden = "struct s { char c[sizeof(long)]; } *z; | map(z[0:n]) | z[0].c[0] = 1;"
    bundle = translator.translate([unit(program(hidden))], [devices["board"]], {})
    kernel = next(t.decode() for path, t in bundle.files.items() if path.startswith("kernels/"))
    done = subprocess.run(command, check=False, input=kernel, text=True, capture_output=True)
    assert "the host has another layout" in done.stderr


HOST = """
#include <ints.h>
void g(int n, double *a, long b, struct both *c, int rows, int cols, double m[rows][cols]) {
#pragma omp target data map(to: a[0:n])
#pragma omp target teams distribute parallel for map(tofrom: a[0:n], c->v) map(m[0:rows]) firstprivate(b)
    for (size_t i = 0; i < n; i++) { a[i] += b; c->v++; m[0][0]++; }
#pragma omp target update from(a[0:n]) nowait
#pragma omp target exit data map(from: m[0:rows])
}
"""


@pytest.mark.parametrize("machine", ["x86-64", "i386", "armhf"])
def test_the_host_file_is_right_for_machines_of_32_bits(machine: str, devices: dict[str, DeviceSpec]) -> None:
    """Its descriptions are the runtime's structures, and parameters have the sizes of that machine."""
    snapshot = snapshot_of(machine)
    size_t = next(m.body for m in snapshot.predefined if m.name == "__SIZE_TYPE__")
    header = f"typedef {size_t} size_t;\nstruct both {{ long l; void *p; double d; int v; }};\n"
    snapshot = replace(snapshot, system={"<ints.h>": HeaderUnit((), header)})
    tu = Analyzer().analyze("t.c", HOST.encode(), snapshot, Settings())
    bundle = translator.translate([tu], [devices["host"]], {})
    assert list(bundle.diagnostics) == []
    (region,) = [k for unit in bundle.manifest["units"] for k in unit["kernels"]]
    sizes = {p["name"]: p["size"] for p in region["params"]}
    assert (sizes["a"], sizes["b"], sizes["c"]) == (8, tu.model.long, 8)
    (prologue,) = [t.decode() for path, t in bundle.files.items() if path.endswith("/ompls.h")]
    members = {
        "arg": "base begin size pointer", "launch": "trip_count num_teams dimensions trips", "param": "index size",
        "global": "symbol address size link", "unit": "abi source nregions requires",
        "region": "line mode cache nlists id", "depend": "address kind",
    }  # fmt: skip
    asserts = ""
    for name, fields in members.items():
        ours, theirs = f"struct __ompls_{name}", f"ompls_{name}{'_desc' if name == 'param' else ''}"
        for f in fields.split():
            asserts += (
                f'_Static_assert(__builtin_offsetof({ours}, {f}) == __builtin_offsetof({theirs}, {f}), "{name}");\n'
            )
        asserts += f'_Static_assert(sizeof({ours}) == sizeof({theirs}), "{name}");\n'
    command = [*command_of(machine), "-ffreestanding", "-fopenmp", "-fsyntax-only", "-w", "-x", "c", "-"]
    text = f'#include "{RUNTIME}/ompls.h"\n{types_of(prologue)}{asserts}'
    done = subprocess.run(command, check=False, input=text, text=True, capture_output=True)
    assert done.stderr == ""


def types_of(prologue: str) -> str:
    """The structures that the host's file declares, without its functions, which ompls.h declares with other names."""
    depend = next(line for line in prologue.splitlines() if line.startswith("struct __ompls_depend"))
    return prologue[: prologue.index("struct ompls_env;")] + depend + "\n"
