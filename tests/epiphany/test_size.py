"""A core has 32 KiB for everything: what does not fit is refused, and what would write over the code faults."""

from __future__ import annotations

import json
from pathlib import Path

import command
import pytest

from ompls.devices.epiphany.module import size
from ompls.runtime.devices import all_devices, state_of
from ompls.runtime.toolchain import Toolchain

STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)

TEXT = """\
int main(int argc, char **argv)
{
    int a = 0;
    (void)argv;
#pragma omp target map(tofrom: a) firstprivate(argc)
    {
        static const int table[COUNT] = {1, 2, 3, [COUNT - 1] = 4};
        a = table[argc % COUNT];
        STATEMENT;
    }
    return a != 2;
}
"""


def made(directory: Path, count: int, statement: str = "") -> Path:
    source = directory / "x.c"
    source.write_text(TEXT.replace("COUNT", str(count)).replace("STATEMENT", statement))
    return source


def test_a_kernel_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    assert command.ompls("run", "--device", "epiphany", made(tmp_path, 6000)).returncode == 0
    done = command.ompls("run", "--device", "epiphany", made(tmp_path, 8000))
    kernel, run_time = command.refusal(
        done,
        r"kernel ompls_x_\w+_main_0 \(x\.c:5\) does not fit an Epiphany core: (\d+) bytes of it and (\d+) "
        r"of the run time.* leave 0 of the core's 32768 for a stack, which needs 2048",
    )
    assert 32000 < kernel < 33000
    assert 0 < run_time < 2048


HOLDS = """\
static int part(int n)
{
    int of[2][3072];
    for (int i = 0; i < 3072; i++)
        of[i % 2][i] = i + n;
    return of[n][n];
}
int main(int argc, char **argv)
{
    int a = 0;
    (void)argv, (void)part;
#pragma omp target map(tofrom: a) firstprivate(argc)
    {
        static const int table[COUNT] = {1, 2, 3, [COUNT - 1] = 4};
        a = table[argc % COUNT];
        if (argc > 1)
            a = BODY;
    }
    return a != 2;
}
"""
SIX = "({ struct { int of[3072]; } one; int two[3072]; one.of[argc] = two[argc] = 3; one.of[argc] + two[argc]; })"


@pytest.mark.parametrize("body", ["part(argc)", SIX], ids=["call", "blocks"])
def test_variables_need_the_room_that_they_take_at_once(tmp_path: Path, body: str) -> None:
    """24 KiB fit beside little code, and not beside more."""
    source = tmp_path / "x.c"
    source.write_text(HOLDS.replace("COUNT", "4").replace("BODY", body))
    assert command.ompls("run", "--device", "epiphany", source).returncode == 0
    source.write_text(HOLDS.replace("COUNT", "1500").replace("BODY", body))
    told = command.ompls("run", "--device", "epiphany", source).stderr
    assert "for a stack, which needs 2048, and 24576 for the variables that it holds at once" in told


def test_more_variables_than_a_core_has_room_for_are_refused_at_the_line(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(HOLDS.replace("COUNT", "4").replace("BODY", "part(argc)").replace("[2][3072]", "[9][1024]"))
    why = "with what is called here, variables take 36,864 bytes at once"
    told = command.ompls("check", "--device", "epiphany", source).stdout
    assert f"{why}; a thread of epiphany has 28,288 for its variables" in told
    assert why in command.ompls("run", "--device", "epiphany", source).stderr


def test_an_estimate_has_the_library_for_double(tmp_path: Path) -> None:
    """5.5 KiB where all of it is needed, as the chip's own linker says; `float` needs none."""
    kernels = []
    for name in ("float", "double"):
        file = tmp_path / f"k_{name}.c"
        text = (
            "T x = *(int *)p[0]; x = (x * 3 + 1) / 7; if (x > 2) *(int *)p[0] = x; *(float *)p[1] = x * *(float *)p[1];"
        )
        file.write_text(f"typedef {name} T;\nvoid {file.stem}(void **p) {{ {text} }}\n")
        kernels.append((file.stem, file))
    with Toolchain() as tools:
        narrow, wide = size.Measure(None).of(tools, kernels).values()
    assert 4 << 10 < wide.all - narrow.all < 7 << 10


def test_what_writes_over_the_code_of_a_core_faults(tmp_path: Path) -> None:
    overwrite = "*(volatile int *)0x80800800 = 1"
    assert command.ompls("run", "--device", "epiphany", made(tmp_path, 10, overwrite)).returncode == 0  # a short kernel
    done = command.ompls("run", "--device", "epiphany", made(tmp_path, 2000, overwrite))
    assert done.returncode == 125
    assert "wrote host address 0x80800800" in done.stderr


def test_the_preview_tells_how_much_of_the_core_a_region_takes(tmp_path: Path) -> None:
    done = command.ompls("preview", "--device", "epiphany", "--resources", "--json", made(tmp_path, 2000))
    (needs,) = json.loads(done.stdout)["regions"].values()
    (taken, what), (left, _) = [(count, what) for what, count in needs.items()]
    assert what.startswith("of 32 KiB")
    assert 9 < taken < 11
    assert taken + left == pytest.approx(32, abs=0.11)


LOOP = "for (int i = 1; i < 100; i++)"
# Bytes that the run time may take, beyond what a kernel without OpenMP has of it.
MOST = {
    "a[0] = 1;": 0,
    f"#pragma omp parallel for\n{LOOP} a[i] = i;": 5 << 10,
    "#pragma omp parallel\n{\n"
    f"#pragma omp for schedule(dynamic) reduction(+: sum)\n{LOOP} sum += a[i];\n"
    "#pragma omp single\na[0] = 1;\n#pragma omp critical\na[1]++;\n#pragma omp barrier\n}": 5 << 10,
    f"#pragma omp parallel for ordered\n{LOOP} {{\n#pragma omp ordered\na[i] = i;\n}}": 5 << 10,
    f"#pragma omp target teams distribute parallel for\n{LOOP} a[i] = i;": 5 << 10,
    "#pragma omp parallel\n{\n"
    f"#pragma omp for schedule(dynamic)\n{LOOP} a[i] = i;\n"
    f"#pragma omp single\n{{\n#pragma omp taskgroup\n{LOOP}\n#pragma omp task firstprivate(i) depend(inout: a[i % 4])\n"
    "a[i] = i;\n#pragma omp taskwait\n}}": 7 << 10,
    f"#pragma omp parallel\n#pragma omp single\n#pragma omp taskloop reduction(+: sum)\n{LOOP} sum += a[i];": 7 << 10,
}


@pytest.mark.skipif(size.measure().prefix is None, reason="sizes are true with the chip's compiler only")
def test_the_run_time_is_small(tmp_path: Path) -> None:
    kernels = []
    for number, text in enumerate(MOST):
        file = tmp_path / f"k{number}.c"
        file.write_text(f"void k{number}(void **p)\n{{\nint *a = *(int **)p[0], sum = 0;\n{text}\na[0] += sum;\n}}\n")
        kernels.append((file.stem, file))
    with Toolchain() as tools:
        found = list(size.measure().of(tools, kernels).values())
    alone = found[0].all - found[0].own
    assert alone <= 2 << 10
    assert [taken.all - taken.own - alone <= most for taken, most in zip(found, MOST.values(), strict=True)] == [
        True
    ] * len(MOST), found
