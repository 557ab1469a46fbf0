"""`ompls run --check`: findings name both lines and the variable, and become the exit code; right programs: silence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests_cli_paths import EXAMPLES
from thinned import thinned

RACE = """\
#include <stdio.h>
int main(void)
{
    int sum = 0, x[100], y[100];
    for (int i = 0; i < 100; i++) x[i] = i;
#pragma omp target teams distribute parallel for map(to: x) map(from: y) map(tofrom: sum)
    for (int i = 0; i < 100; i++) {
        y[i] = 2 * x[i];
        sum += x[i];
    }
    printf("%d\\n", y[3]);
    return 0;
}
"""


def test_a_race_is_told_with_line_and_variable(process, tmp_path: Path) -> None:
    path = tmp_path / "race.c"
    path.write_text(RACE)
    done = process("run", "--check", path)
    assert (done.code, done.out) == (1, "6\n")
    where = re.escape("race.c:9: region on cudasim:0: error: data race on 'sum' (byte 0): ")
    assert re.match(
        r"\S*\b" + where + r"thread 1 of block 0 \w+ it, thread 0 of block 0 writes it at race.c:9, and", done.err
    )
    assert done.err.endswith("ompls: the checks found 1 (races 1)\n")
    assert process("run", "--device", "cudasim", path).code == 0  # only when asked


def test_what_is_mapped_from_must_be_written_before_it_is_read(process, tmp_path: Path) -> None:
    path = tmp_path / "uninit.c"
    path.write_text(
        RACE.replace("y[i] = 2", "y[i] += 2")
        .replace("map(tofrom: sum)", "reduction(+: sum)")
        .replace("return 0", "return 3")
    )
    done = process("run", "--check=uninit", path)
    assert done.code == 3, "the program's own"
    assert "uninit.c:8: region on cudasim:0: error: uninitialised read of 'y' (byte 0): thread 0" in done.err
    assert "[uninit]" in done.err


def test_a_step_outside_of_what_is_mapped(process, tmp_path: Path) -> None:
    path = tmp_path / "outside.c"
    path.write_text(RACE.replace("map(to: x)", "map(to: x[0:99])").replace("map(tofrom: sum)", "reduction(+: sum)"))
    done = process("run", "--check", path)
    assert done.code == 125
    assert re.search(
        r"outside.c:[89]: region on cudasim:0 read device address 0x\w+ \(variable 'x\[0:99\]', 0 bytes past", done.err
    )


BEFORE = """\
#include <stdio.h>
#include <stdlib.h>
struct s { int n; double *p; };
static float fixed[100];
int main(int argc, char **argv)
{
    int n = 100, which = atoi(argv[argc - 1]);
    double *y = malloc(n * sizeof *y), *rows[4];
    struct s g = {n, malloc(n * sizeof *y)};
    for (int k = 0; k < 4; k++) rows[k] = malloc(n * sizeof *y);
#pragma omp target map(tofrom: y[1:n-1]) map(to: g) map(tofrom: g.p[3:n-3]) map(from: fixed[5:10]) \\
                   map(to: rows) map(from: rows[0][0:n], rows[1][1:n-1])
    {
        if (which == 0) y[0] = 1;
        if (which == 1) y[1] = y[0];
        if (which == 2) g.p[2] = 1;
        if (which == 3) fixed[2] = 1;
        if (which == 4) rows[1][0] = 1;
        y[1] = g.p[3] = fixed[5] = rows[1][1] = 2;
    }
    printf("%g\\n", y[1] + g.p[3] + fixed[5] + rows[1][1]);
    return 0;
}
"""


def test_a_step_before_a_section_wherever_its_block_begins(process, tmp_path: Path) -> None:
    """The block begins at an aligned address, the section behind it: what is between is nobody's."""
    path = tmp_path / "before.c"
    path.write_text(BEFORE)
    wrong = [
        (14, "wrote", "y[1:n-1]", 8),
        (15, "read", "y[1:n-1]", 8),
        (16, "wrote", "g.p[3:n-3]", 8),
        (17, "wrote", "fixed[5:10]", 12),
        (18, "wrote", "rows[1][1:n-1]", 8),
    ]
    for which, (line, did, name, far) in enumerate(wrong):
        done = process("run", "--check", path, "--", str(which))
        assert done.code == 125, done.err
        assert re.search(
            rf"before.c:{line}: region on cudasim:0 {did} device address 0x\w+ "
            rf"\(variable '{re.escape(name)}', {far} bytes before what is mapped\)",
            done.err,
        ), done.err
    done = process("run", "--check", path, "--", "5")
    assert (done.code, done.out, done.err) == (0, "8\n", "")
    done = process("run", "--check=uninit", path, "--", "1")
    assert "read device address" in done.err
    assert "uninitialised" not in done.err  # `map(to:` would be wrong advice


ENDS = """\
#include <stdio.h>
double c[64];
#define START d * size
#define END START + size
static void own(int first, int length)
{
    double d[8];
    #pragma omp target map(from: d[first:length])
    d[first] = 1;
}
static void fill(double *c, int devices, int size)
{
    for (int d = 0; d < devices; d++) {
        #pragma omp target data device(d) map(from: c[START:END])
        {
            #pragma omp target data device(1) map(from: c[size/2:size]) if(d == 0)
            { }
        }
    }
    puts("filled");
}
int main(int argc, char **argv)
{
    own(4, 4);
    if (argc > 1) own(4, 5);
    fill(c, 4, 16);
    return 0;
}
"""


def test_what_is_copied_back_lies_in_its_array_and_is_one_devices(process, tmp_path: Path) -> None:
    """Lengths written as ends, as in the paper on cluster nodes: they overwrote variables of the program, and ours."""
    path = tmp_path / "ends.c"
    path.write_text(ENDS)
    done = process("run", "--check", "--device", "cudasim:4", path)
    assert (done.code, done.out) == (125, "")
    hint, error = done.err.splitlines()
    assert "ends.c:16: region on cudasim:1: hint: 'c[size/2:size]' and 'c[START:END]' on cudasim:0 overlap" in hint
    assert "ends.c:14: region on cudasim:2: 'c[START:END]' would bring back 384 bytes to byte 256 of 'c'" in error
    done = process("run", "--device", "cudasim", path, "--", "local")
    assert "ends.c:8: region on cudasim:0: 'd[first:length]' would bring back 40 bytes to byte 32 of its" in done.err


BETWEEN = """\
#include <stdio.h>
#include <stdlib.h>
struct s { int a[4], mid, rest[4], b[4]; double *p; };
struct pair { char c; double x; };
int main(int argc, char **argv)
{
    int which = atoi(argv[argc - 1]);
    double x[4] = {1, 2, 3, 4};
    struct s g = {.p = x}, *h = malloc(sizeof *h);
    struct pair one = {'a', 1}, other = {'b', 2};
#pragma omp target map(tofrom: g.b, g.a) map(to: g.p[1:2]) map(from: h->a[2:2]) map(alloc: h->b[1:2]) \\
                   map(tofrom: one.c) map(from: one.x) map(to: other)
    {
        if (which == 0) g.mid = 1;
        if (which == 1) g.a[0] = g.rest[1];
        if (which == 2) h->b[0] = 1;
        one = other;
        h->b[2] = g.p[2];
        h->a[3] = h->b[2];
        g.a[3] = g.b[0] = h->a[2] = 2;
    }
    printf("%d %d %g %c\\n", g.a[3] + g.b[0], h->a[3], one.x, one.c);
    return 0;
}
"""


def test_a_step_between_the_mapped_members_of_a_structure(process, tmp_path: Path) -> None:
    """Padding may be copied with the members around it, and pointers that are attached are there."""
    path = tmp_path / "between.c"
    path.write_text(BETWEEN)
    wrong = [
        (14, "wrote", "g.b, g.a, g.p", 16),
        (15, "read", "g.b, g.a, g.p", 24),
        (16, "wrote", "h->a[2:2], h->b[1:2]", 28),
    ]
    for which, (line, did, name, far) in enumerate(wrong):
        done = process("run", "--check", path, "--", str(which))
        assert done.code == 125, done.err
        assert re.search(
            rf"between.c:{line}: region on cudasim:0 {did} device address 0x\w+ "
            rf"\(variable '{re.escape(name)}', {far} bytes from its begin, in no list item\)",
            done.err,
        ), done.err
    done = process("run", "--check", path, "--", "3")
    assert (done.code, done.out, done.err) == (0, "4 3 2 b\n", "")


@pytest.mark.parametrize("name", thinned(["saxpy", "jacobi", "histogram", "master_worker"], 2))
def test_right_programs_are_silent(process, name: str) -> None:
    done = process("run", "--check", EXAMPLES / f"{name}.c")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--check=speed"], "there is no check 'speed': choose from races,uninit,memory,coalescing,banks,all"),
        (["--check", "--device", "host"], "--check: 'host' cannot check kernels; choose --device cudasim or epiphany"),
        (["--check=uninit", "--device", "epiphany"], "--check: 'epiphany' does not look for 'uninit', but for races"),
        (
            ["--check=races,banks", "--device", "epiphany"],
            "--check: 'epiphany' does not look for 'banks', but for races",
        ),
    ],
)
def test_wrong_requests(process, tmp_path: Path, words: list[str], says: str) -> None:
    path = tmp_path / "race.c"
    path.write_text(RACE)
    done = process("run", *words, path)
    assert done.code == 125
    assert says in done.err
