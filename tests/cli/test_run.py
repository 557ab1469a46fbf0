"""`ompls run`: the program's streams and exit code, and every way in which a program can end badly."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import ompls_bytes
from tests_cli_paths import EXAMPLES
from thinned import thinned
from waiting import LIMIT

DEVICE = "host"  # the quickest to build for; what is tested here does not depend on the device

REGION = """
    int n = 4;
    #pragma omp target map(tofrom: n)
    n++;
"""


def _program(path: Path, body: str, includes: str = "") -> Path:
    path.write_text(
        f"#include <stdio.h>\n#include <stdlib.h>\n{includes}\nint main(int argc, char **argv)\n{{{body}}}\n"
    )
    return path


def test_arguments_streams_and_exit_code_are_the_programs(process, tmp_path: Path) -> None:
    body = REGION + 'char line[20]; fgets(line, 20, stdin); fprintf(stderr, "err\\n");'
    body += 'printf("%d %s %s %s", argc, argv[1], argv[2], line); return n + 2;'
    path = _program(tmp_path / "args.c", body)
    done = process("run", "--device", DEVICE, path, "--", "--profile", "-x.c", stdin="hello\n")
    assert done == type(done)(7, "3 --profile -x.c hello\n", "err\n")


SUM = """
    long double s = 0;
    #pragma omp target map(tofrom: s)
    for (int i = 0; i < 10; i++)
        s += i;
    printf("%Lg\\n", s);
"""


def test_auto_is_the_first_device_that_can_run_the_program(process, tmp_path: Path) -> None:
    path = _program(tmp_path / "wide.c", SUM)
    done = process("run", path)
    assert (done.code, done.out) == (0, "45\n")
    line = path.read_text().splitlines().index("        s += i;") + 1
    (said,) = done.err.splitlines()
    assert said.startswith("ompls: running on host, as ")
    assert " cannot run it: " in said
    assert f"wide.c:{line}: the type 'long double' cannot be translated for " in said


def test_of_a_device_that_cannot_run_the_program_another_one_is_named(process, tmp_path: Path) -> None:
    done = process("run", "--device", "cudasim", _program(tmp_path / "wide.c", SUM))
    assert (done.code, done.out) == (125, "")
    assert done.err.splitlines()[-1] == "ompls: host can run it: use '--device host'"
    nowhere = _program(tmp_path / "nowhere.c", SUM.replace("s += i;", "{ s += i; __builtin_unreachable_; }"))
    done = process("run", "--device", "cudasim", nowhere)
    assert (done.code, "can run it" in done.err) == (125, False), "it is no C"


def test_several_files_make_one_program(process, tmp_path: Path) -> None:
    _program(tmp_path / "main.c", "return twice(argc) != 2;", "int twice(int);")
    (tmp_path / "twice.c").write_text(
        "int twice(int n)\n{\n    #pragma omp target map(tofrom: n)\n    n *= 2;\n    return n;\n}\n"
    )
    done = process("run", "--device", DEVICE, tmp_path / "main.c", tmp_path / "twice.c")
    assert (done.code, done.err) == (0, "")


def test_options_of_the_project_and_of_the_command_line_reach_the_compiler(process, tmp_path: Path) -> None:
    path = _program(tmp_path / "options.c", REGION + "return ONE + TWO - 3 + (int)fmod(n, 1.0);", "#include <math.h>")
    (tmp_path / "compile_flags.txt").write_text("-DONE=1\n")
    before = tmp_path / "before.h"  # what it defines is in the kernels already
    before.write_text("struct pair { int x; };\nstatic int same(int x) { return x; }\n")
    path.write_text(path.read_text().replace("n++;", "n = same((struct pair){n + 1}.x);"))
    path.write_text(
        path.read_text().replace("int main", "extern char three;\nint main").replace("- 3", "- (int)(long)&three")
    )
    words = ("-DTWO=2", "-include", before, "-lm", "-Wl,--defsym", "-Wl,three=3")
    assert process("run", "--device", DEVICE, *words, path).code == 0


def test_options_of_the_project_that_gcc_does_not_take_are_left_out(process, tmp_path: Path) -> None:
    path = _program(tmp_path / "arm.c", REGION + "return n - N;")
    (tmp_path / "compile_flags.txt").write_text("-mfpu=neon\n-DN=5\n-Xopenmp-target=nvptx64\n-march=sm_70\n")
    done = process("run", "--device", DEVICE, path)
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert "gcc does not take -mfpu=neon: left out" in done.err


def test_a_compilers_error_shows_the_users_line(process, tmp_path: Path) -> None:
    path = _program(tmp_path / "bad.c", REGION + "\n    return undeclared_name;\n")
    done = process("run", "--device", DEVICE, path)
    assert done.code == 125
    line = path.read_text().splitlines().index("    return undeclared_name;") + 1
    assert f"bad.c:{line}:" in done.err
    assert "undeclared_name" in done.err


def test_a_program_without_regions_runs(process, tmp_path: Path) -> None:
    done = process("run", "--device", DEVICE, _program(tmp_path / "plain.c", 'puts("hi"); return 3;'))
    assert (done.code, done.out) == (3, "hi\n")


def test_over_time_ends_with_124(process, tmp_path: Path) -> None:
    path = _program(tmp_path / "loops.c", REGION + "for (volatile int i = 0;; i++) ;")
    done = process("run", "--device", DEVICE, "--timeout", "1", path)
    assert done.code == 124
    assert re.search(r"ompls: error: loops: .*1 s.*--timeout", done.err), done.err


@pytest.mark.parametrize(("statement", "number"), [("abort();", 6), ("*(volatile int *)argv[9999999] = 1;", 11)])
def test_a_crash_is_reported_with_its_signal(process, tmp_path: Path, statement: str, number: int) -> None:
    done = process("run", "--device", DEVICE, _program(tmp_path / "crash.c", REGION + statement))
    assert done.code == 128 + number
    assert signal.Signals(number).name in done.err


@pytest.mark.parametrize("device", ["host", "cudasim"])
@pytest.mark.parametrize("number", thinned([signal.SIGINT, signal.SIGTERM], 2))
@pytest.mark.thorough
def test_nothing_stays_behind_when_it_is_interrupted(tmp_path: Path, device: str, number: int, family: Any) -> None:
    body = REGION + 'puts("ready"); fflush(stdout); for (volatile int i = 0;; i++) ;'
    path = _program(tmp_path / "waits.c", body)
    command = [sys.executable, "-m", "ompls", "run", "--device", device, str(path)]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=env, start_new_session=True)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    os.killpg(child.pid, number)  # as a terminal does
    code = child.wait(LIMIT)
    assert code in (128 + number, -number)
    family.ends()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith("ompls-run")] == []


@pytest.mark.parametrize("device", ["host", "cudasim"])
def test_a_name_may_have_any_bytes(tmp_path: Path, device: str) -> None:
    directory = tmp_path / "q\"u'o$te \\ \n ??/ %s \udcff7 \u00e9"
    directory.mkdir(parents=True)
    path = _program(directory / 'a\n".c', REGION + "puts(__FILE__);")
    record = tmp_path / "trace.jsonl"
    done = ompls_bytes("run", "--device", device, "--trace", record, path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"\n")
    assert os.path.abspath(done.stdout[:-1]) == os.fsencode(path)
    assert all(json.loads(line) for line in record.read_text(errors="surrogateescape").splitlines())


def test_a_lock_that_hangs_on_the_simulated_gpu_is_refused(process, tmp_path: Path) -> None:
    spin = "for (;;)\n  if (omp_test_lock(l))\n    break;\n(*x)++; omp_unset_lock(l);"
    function = f"#include <omp.h>\nstatic void inc(omp_lock_t *l, int *x)\n{{\n{spin}\n}}\n"
    body = """
    int x = 0;
    #pragma omp target map(tofrom: x)
    {
        omp_lock_t l;
        omp_init_lock(&l);
        #pragma omp parallel for num_threads(64)
        for (int i = 0; i < 320; i++) inc(&l, &x);
    }
    printf("%d\\n", x);"""
    run = ["run", "--device", "cudasim", _program(tmp_path / "lock.c", body, function)]
    assert process(*run).out == "320\n"
    done = process(*run, env={"OMPLS_CUDASIM_ARCH": "sm_53"})
    assert done.code == 125
    assert "lock.c:7:" in done.err
    assert "omp_test_lock hangs on a GPU before sm_70" in done.err


def test_rows_behind_pointers_to_arrays_of_variable_length_are_reduced(process, tmp_path: Path) -> None:
    """On the simulated GPU only: gcc 12 computes something else on teams, or ends with an internal error."""
    rows = """static void add(int n, int m, int (*b)[m], int a[n][m], int k)
{
    #pragma omp target teams distribute parallel for reduction(+: b[0:2]) map(tofrom: b[0:2])
    for (int i = 0; i < 10; i++) b[i % 2][i % m] += i;
    #pragma omp target teams distribute parallel for reduction(+: a[k:2][0:m]) map(tofrom: a[0:n])
    for (int i = 0; i < 10; i++) a[1 + i % 2][i % m] += i;
}
"""
    body = (
        'int a[3][4] = {{9}}, b[3][4] = {[1] = {7}}; add(3, 4, b, a, 1); printf("%d %d %d|%d %d %d", b[0][0], b[1][1],'
    )
    path = _program(tmp_path / "rows.c", body + "b[1][0], a[1][0], a[2][3], a[0][0]);", rows)
    done = process("run", "--device", "cudasim", path)
    assert (done.out, done.err) == ("12 15 7|12 10 9", "")


def test_a_profile_of_attached_pointers(process, tmp_path: Path) -> None:
    """The device writes them itself: there are no bytes of the host's to compare."""
    body = (
        "struct s { int n, *p; } s = {3, malloc(12)};\n#pragma omp target map(s.p[0:3]) map(to: s.n)\ns.p[1] = s.n;\n"
    )
    path = _program(tmp_path / "attached.c", body + 'printf("%d", s.p[1]); free(s.p);')
    done = process("run", "--device", "cudasim", "--profile", path)
    assert (done.code, done.out) == (0, "3")
    assert "attached.c:" in done.err


def test_profile_shows_what_was_transferred(process) -> None:
    done = process("run", "--device", "cudasim", "--profile", EXAMPLES / "saxpy.c")
    assert done.code == 0
    assert done.out.endswith("correct\n")
    assert "In all 8.0 MiB to devices, 4.0 MiB back." in done.err
    assert re.search(r"The present table of cudasim:0 was locked [1-9]\d* times, and 0 of them had to wait\.", done.err)


def test_trace_and_report_go_together(process, ompls, tmp_path: Path) -> None:
    record = tmp_path / "t.jsonl"
    assert process("run", "--device", DEVICE, "--trace", record, EXAMPLES / "matmul.c").code == 0
    assert json.loads(record.read_text().splitlines()[0])["ompls_trace"] == 1
    done = ompls("report", record)
    assert done.code == 0
    assert "matmul.c:" in done.out


def test_an_unknown_device_is_named(process) -> None:
    done = process("run", "--device", "abacus", EXAMPLES / "saxpy.c")
    assert done.code == 125
    assert re.fullmatch(r"ompls: error: .*'abacus'.*: .*; .*\n", done.err)


def test_devices_lists_what_there_is(ompls) -> None:
    listed = json.loads(ompls("devices", "--json").out)["devices"]
    known = {entry["name"]: entry for entry in listed}
    assert known["cudasim"]["available"]
    assert known["host"]["available"]
    for entry in listed:
        assert entry["available"] or (entry["reason"] and entry["hint"])
    assert "cudasim" in ompls("devices").out


def test_an_unwritable_cache_costs_a_warning_only(process, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = {"OMPLS_CACHE_DIR": str(tmp_path / "file" / "cache"), "TMPDIR": str(tmp_path)}
    done = process("run", "--device", DEVICE, EXAMPLES / "matmul.c", env=cache)
    assert done.code == 0
    assert "warning" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


PEERS = """
#include <stdio.h>
#include <omp.h>
int main(void) {
    char text[8] = "abcdefg", back[8] = "";
    char *a = omp_target_alloc(8, 0), *b = omp_target_alloc(8, 1);
    omp_target_memcpy(a, text, 8, 0, 0, 0, omp_get_initial_device());
    omp_target_memcpy(b, a, 8, 0, 0, 1, 0);
    #pragma omp target is_device_ptr(b) device(1)
    b[0] = 'A';
    omp_target_memcpy(back, b, 8, 0, 0, omp_get_initial_device(), 1);
    puts(back);
    return 0;
}
"""


@pytest.mark.parametrize("devices", ["host:2", "cudasim:2", "cudasim,host"])
def test_devices_copy_to_each_other(process, tmp_path: Path, devices: str) -> None:
    source = tmp_path / "peers.c"
    source.write_text(PEERS)
    done = process("run", "--device", devices, source)
    assert (done.code, done.out, done.err) == (0, "Abcdefg\n", "")


@pytest.mark.parametrize(
    ("option", "device", "why"),
    [
        ("-fpack-struct", "host", "would be laid out otherwise"),
        ("-fpack-struct=2", "cudasim", "would be laid out otherwise"),
        ("-funsigned-char", "cudasim", "its types would not be the program's; use the device host"),
        ("-fshort-enums", "cudasim", "its types would not be the program's; use the device host"),
    ],
)
def test_options_that_make_other_types_are_refused(process, tmp_path: Path, option: str, device: str, why: str) -> None:
    path = _program(tmp_path / "types.c", REGION + "return n != 5;")
    done = process("run", "--device", device, option, path)
    assert (done.code, why in done.err) == (125, True)
    assert process("run", "--device", device, option, _program(tmp_path / "plain.c", "return 0;")).code == 0


@pytest.mark.parametrize("option", ["-fshort-wchar", "-funsigned-char", "-fshort-enums"])
def test_the_device_host_has_the_types_of_the_program(process, tmp_path: Path, option: str) -> None:
    body = """
    enum e { A, B } e[3] = {A, B, B};
    char c[2] = {(char)200, 0};
    int size = 0, sign = 0;
    #pragma omp target map(e, c, size, sign)
    { size = sizeof e + sizeof L'x' + (int)e[2]; sign = c[0] > 0; }
    return size != (int)(sizeof e + sizeof L'x' + B) || sign != (c[0] > 0);"""
    assert process("run", "--device", "host", option, _program(tmp_path / "types.c", body)).code == 0
