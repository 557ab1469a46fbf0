"""Kernels that call device functions of other translation units: built at once, from objects, from an archive."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import command
import pytest
from named import translate

from ompls.analysis.model.tu import TU
from ompls.devices.cuda.module import nvrtc
from ompls.runtime.bundle import read_bundle
from ompls.runtime.devices import all_devices
from ompls.runtime.functions import with_functions

LIBRARY = Path(__file__).resolve().parents[2] / "ompls/devices/cuda/library"
FILES = {
    "shared.h": """struct point { int x; double y[2]; };
#pragma omp declare target
extern int counter;
extern struct point origin;
extern double scale(struct point p, double by);
extern void move(struct point *p, int dx);
int bump(void);
struct point twice(struct point p);
int sums(int n, const int *a);
extern int (*step)(int);
extern const char *const names[2];
extern struct tool { const char *name; int (*use)(int); } *current;
int apply(int (*f)(int), int x);
int thrice(int x);
#pragma omp end declare target
""",
    "main.c": """#include <stdio.h>
#include <omp.h>
#include "shared.h"
int counter = 5;
#pragma omp declare target to(counter)
#pragma omp declare target
int (*mine)(int) = thrice;
#pragma omp end declare target
int main(void)
{
    int f[8] = {0};
    struct point p = {1, {2, 3}};
    double r = 0;
    int b = 0, c = 0, t = 0, host = 1, a[4] = {1, 2, 3, 4}, z[8];
#pragma omp target map(tofrom : p, r, b, c, t, host) map(to : a)
    {
        r = scale(p, 2);
        move(&p, 7);
        b = bump() + bump();
        counter += 10;
        c = counter + origin.x;
        p = twice(p);
        t = sums(4, a);
        host = omp_is_initial_device();
    }
    printf("%g %d %g %d %d %d on the host: %d\\n", r, p.x, p.y[1], b, c, t, host);
#pragma omp target teams distribute parallel for map(from : z)
    for (int i = 0; i < 8; i++) {
        struct point q = {i, {i, 1}};
        move(&q, i);
        z[i] = twice(q).x;
    }
    for (int i = 0; i < 8; i++)
        printf("%d ", z[i]);
#pragma omp target map(tofrom : f)
    {
        f[0] = step(1);
        f[1] = names[1][0];
        f[2] = current->use(5);
        f[3] = current->name[1];
        f[4] = apply(step, 7);
        f[5] = mine(4);
        f[6] = (mine == thrice) + 2 * (step == thrice);
        f[7] = apply(mine, 1);
    }
    for (int i = 0; i < 8; i++)
        printf(" %d", f[i]);
    return 0;
}
""",
    "moves.c": """#include "shared.h"
static int helper(int x) { return x * 10; }
struct point origin = {100, {1, 2}};
#pragma omp declare target to(origin)
#pragma omp declare target
double scale(struct point p, double by) { return (p.x + p.y[0] + helper(1)) * by; }
void move(struct point *p, int dx) { p->x += dx + origin.x; }
int bump(void) { return ++counter; }
int sums(int n, const int *a)
{
    int s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
static int one_more(int x) { return x + 1; }
int thrice(int x) { return 3 * x; }
int (*step)(int) = one_more;
const char *const names[2] = {"a", "b"};
struct tool tools[2] = {{"x1", one_more}, {"x2", thrice}}, *current = &tools[1];
int apply(int (*f)(int), int x) { return f(x); }
#pragma omp end declare target
""",
    "twice.c": """#include "shared.h"
#pragma omp declare target
struct point twice(struct point p)
{
    struct point q = p;
    move(&q, 1);
    q.x *= 2;
    return q;
}
#pragma omp end declare target
""",
}
SOURCES = ["main.c", "moves.c", "twice.c"]
EXPECTED = "26 418 3 13 117 10 on the host: 0\n402 406 410 414 418 422 426 430  2 98 15 50 8 12 1 3"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def ompls(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return command.ompls(*arguments, cwd=place)


@pytest.mark.parametrize("device", ["host", "cudasim"])
def test_functions_types_and_variables_of_other_units(device: str, place: Path) -> None:
    done = ompls(place, "run", "--device", device, *SOURCES)
    assert (done.returncode, done.stdout) == (0, EXPECTED), done.stderr


@pytest.mark.thorough
def test_objects_in_an_archive(place: Path) -> None:
    target = ["-fopenmp", "-fopenmp-targets=cudasim"]
    for source in SOURCES:
        assert ompls(place, "cc", *target, "-c", source, "-o", f"{source}.o").returncode == 0
    subprocess.run(["ar", "rcs", "rest.a", "moves.c.o", "twice.c.o"], check=True, cwd=place)
    assert ompls(place, "cc", *target, "main.c.o", "rest.a", "-o", "program").returncode == 0
    done = subprocess.run([place / "program"], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == EXPECTED


def test_a_function_that_no_unit_has_is_named(place: Path) -> None:
    done = ompls(place, "run", "--device", "cudasim", "main.c", "twice.c")
    assert done.returncode == 125
    assert "main.c:15" in done.stderr
    assert "'bump': no unit that is linked has its body under declare target" in done.stderr


def test_a_variable_that_devices_have_is_so_where_it_is_defined(unit: Callable[[str], TU]) -> None:
    """Other compilers' linkers do not find it for the device; here its address was null when the kernel ran."""
    user = unit(
        "#pragma omp declare target\nextern int table[4];\n#pragma omp end declare target\n"
        "int f(int s)\n{\n#pragma omp target map(from : s)\n    s = table[1];\n    return s;\n}\n"
    )
    for text, refused in (
        ("int other, table[4] = {1};\n", True),
        ("int table[4] = {1};\n#pragma omp declare target to(table)\n", False),
        ("#pragma omp declare target\nextern int table[4];\n#pragma omp end declare target\nint table[4];\n", False),
        ("extern int table[4];\nint *g(void) { return table; }\n", False),
        ("static int table[4];\nint *g(void) { return table; }\n", False),
    ):
        made = translate([user, unit(text)], ["host"])
        assert bool(made.files) != refused, text
        assert [d.message for d in made.diagnostics] == refused * [
            "'table' is not under declare target where it is defined: kernels of test.c use it, where it is;"
            " put it under declare target here, too"
        ]
    assert made.files
    (found,) = translate([user, unit("int other, table[4] = {1};\n")], ["host"]).diagnostics
    assert (found.where.start, found.where.end) == (11, 25)


def test_what_cannot_run_on_a_gpu_is_said_where_it_is_called(place: Path) -> None:
    text = FILES["twice.c"].replace("q.x *= 2;", "long double w = q.x; q.x = w * 2;")
    (place / "twice.c").write_text(text)
    done = ompls(place, "run", "--device", "cudasim", *SOURCES)
    assert done.returncode == 125
    assert "calls 'twice': the type 'long double' in the function 'twice'" in done.stderr


def test_a_static_variable_is_not_copied_silently(unit: Callable[[str], TU]) -> None:
    """Each kernel file would have one of its own: it moves in front of the function, unless its type is in there."""
    text = "static int next(void) {{ {} last = {{5}}; return last.x++; }}\nvoid f(int *a)\n{{\n"
    own, there = text.format("struct s { int x; }; static struct s"), text.format("static struct { int x; }")
    region = "#pragma omp target map(tofrom : a[0:1])\n    a[0] = next();\n"
    assert not translate([unit(f"{own}{region}}}\n")], ["cuda", "host"]).diagnostics
    assert not translate([unit(f"{there}{region}{region}}}\n")], ["cuda", "host"]).diagnostics
    refused = translate([unit(f"{own}{region}{region}}}\n")], ["cuda", "host"])
    assert not refused.files
    assert "the static variable 'last' of 'next'" in refused.diagnostics[0].message


@pytest.mark.parametrize("place", ["{0}\nvoid f(void)\n{{\n", "void f(void)\n{{\n{0}\n"])
def test_kernels_have_types_with_their_attributes(unit: Callable[[str], TU], place: str) -> None:
    """Behind braces and in front of `typedef` the parser sees none."""
    types = {
        "struct s { char c; int x; } __attribute__((packed));": ["host", "cuda"],
        "__attribute__((aligned(4))) typedef double t; struct s { t x; };": ["host", "cuda"],
        "enum e { E } __attribute__((packed)); struct s { enum e x; };": ["host", "cuda"],
        "typedef int __attribute__((mode(QI))) t; struct s { char c; t x; };": ["host"],
    }
    for text, devices in types.items():
        attribute = text[text.find("__attribute__") : text.find("))") + 2]
        region = "struct s z;\n#pragma omp target map(z)\nz.x = 0;\n}\n"
        for device in ("host", "cuda"):
            made = translate([unit(place.format(text) + region)], [device])
            assert bool(made.diagnostics) == (device not in devices), (text, device)
            assert bool(made.files) == (device in devices)
            kernels = [t.decode() for path, t in made.files.items() if path.startswith("kernels/")]
            assert all(attribute in kernel for kernel in kernels)


def test_the_joined_text_compiles_for_real_gpus(
    place: Path, load: Callable[[Path], TU], gpu_code: Callable[..., nvrtc.Compiled]
) -> None:
    bundle = translate([load(place / name) for name in SOURCES], ["cuda"])
    for name, data in bundle.files.items():
        (place / "bundle" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "bundle" / name).write_bytes(data)
    read = read_bundle(place / "bundle")
    headers = {p.name: p.read_text() for p in LIBRARY.glob("*.cuh")}
    kernels = with_functions(place, read, read.kernels("gpu"), all_devices()["cuda"])
    assert len(kernels) == 3
    for kernel, path in kernels:
        for architecture in ("sm_53", "sm_90"):
            gpu_code(path.read_text(), architecture, kernel.name, headers)


def test_a_variable_that_a_library_defines(place: Path) -> None:
    """No unit defines `stdout`: every unit that puts it under declare target tells the runtime of it."""
    (place / "main.c").write_text("""#include <stdio.h>
#include <omp.h>
#pragma omp declare target to(stdout)
int main(void)
{
    int host = 1;
#pragma omp target map(from : host)
    {
        host = omp_is_initial_device();
        fputs("said on a device\\n", stdout);
    }
    return host;
}
""")
    done = ompls(place, "run", "--device", "host", "main.c")
    assert (done.returncode, done.stdout) == (0, "said on a device\n"), done.stderr
