"""Programs on the emulated board: what gcc makes of them on the host is right; faults name core, kernel and line."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import command
import pytest
import sources
from thinned import thinned
from waiting import until

from ompls.runtime.devices import all_devices, choose, state_of

PROGRAMS = sorted((Path(__file__).resolve().parent / "programs").glob("*.c"))
STATE = state_of(all_devices()["epiphany"])
pytestmark = pytest.mark.skipif(not STATE.available, reason=STATE.reason)


def run(program: Path, *words: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory", **env}
    done = command.ompls(
        "run",
        "--device",
        "epiphany",
        "--timeout",
        "60",
        "-lm",
        program,
        *(["--"] if words else []),
        *words,
        env=environment,
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    return done


@pytest.mark.parametrize("program", thinned(PROGRAMS, 2), ids=lambda path: path.stem)
def test_it_says_what_the_host_says(program: Path, tmp_path: Path) -> None:
    subprocess.run(["gcc", "-fopenmp", "-foffload=disable", "-w", program, "-o", tmp_path / "x", "-lm"], check=True)
    native = subprocess.run([tmp_path / "x"], capture_output=True, text=True, check=True).stdout
    done = run(program)
    assert (done.stdout, done.stderr) == (native, "")


TEXT = """\
#include <stdint.h>
#pragma omp declare target
static int deep(int *a, int n)
{
    volatile int frame[64];
    frame[n % 64] = n;
    return n == 0 ? 0 : deep(a, n - 1) + frame[n % 64] + a[0];
}
#pragma omp end declare target
int main(int argc, char **argv)
{
    int a[4] = {0}, *p = a, zero = 0, which = argc > 1 ? argv[1][0] - '0' : 0;
    (void)deep;
    char bytes[16] = {0};
#pragma omp target map(tofrom: a, bytes) firstprivate(p)
    {
        char buffer[16] = {0};
        a[0] = 1;
        STATEMENT;
        a[2] = buffer[a[1] & 15];
    }
    return a[0] != 1;
}
"""
FAULTS = {
    "*(volatile int *)0x80a09000 = 1": "wrote host address 0x80a09000",
    "*(volatile int *)16 = 1": "wrote address 0x10",
    "a[1] = *p": "(variable 'p', not mapped)",
    "*(volatile int *)(bytes + 1) = 1": "a misaligned access, or a trap on the emulated core 0",
    "a[1] = 7 / *(volatile int *)&zero": "a division by zero on the emulated core 0",
    "__builtin_memset(buffer, zero, 40000)": "x.c:15: region on epiphany:0 wrote host address",
    "a[1] = deep(a, 100000)": "the stack has grown into the code, which both lie in 32 KiB, on the emulated core 0",
}


# All of them are in one kernel, which is built once.
SWITCH = "switch (which) {\n" + "".join(f"case {k}: {s}; break;\n" for k, s in enumerate(FAULTS)) + "}"


@pytest.mark.parametrize("statement", FAULTS)
def test_a_fault_names_kernel_and_line(statement: str) -> None:
    number = [*FAULTS].index(statement)
    program = sources.kept(TEXT.replace("STATEMENT", SWITCH))
    told = run(program, str(number), code=125).stderr
    assert FAULTS[statement] in told
    assert re.search(r"kernel ompls_x_\w+_main_0", told), told
    assert re.search(r"x\.c:[0-9]+", told), told


def test_a_kernel_that_never_ends_is_stopped(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(TEXT.replace("STATEMENT", "while (*(volatile int *)a) ;"))
    told = run(source, code=125, OMPLS_EPIPHANY_DEADLINE="1").stderr
    assert "did not end within 1 seconds; its emulated cores were reset" in told


HANGS = """\
#include <omp.h>
int main(void)
{
    int a[4] = {0};
#pragma omp target map(tofrom: a)
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() != 2) {
#pragma omp barrier
        }
#pragma omp barrier
        a[omp_get_thread_num()] = 1;
    }
    return 0;
}
"""


def test_a_kernel_whose_cores_wait_for_each_other_says_so(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(HANGS)
    told = run(source, code=125, OMPLS_EPIPHANY_DEADLINE="2").stderr
    assert "its emulated cores were reset: all of them waited for each other, at barriers or for tasks" in told


STAYS = """\
#include <omp.h>
#include <stdio.h>
static int stop, cores;
int main(void)
{
    int answer = 0;
    #pragma omp target enter data map(to: stop, cores)
    #pragma omp target map(stop, cores) nowait
    #pragma omp parallel num_threads(16)
    for (int now = 0; now == 0;) {
        if (omp_get_thread_num() == 0)
            cores = omp_get_num_threads();
        #pragma omp atomic read
        now = stop;
        #pragma omp taskyield
    }
    do {
        #pragma omp target update from(cores)
    } while (cores != 16);
    #pragma omp target map(tofrom: answer) nowait
    answer = 42;
    for (double begin = omp_get_wtime(); omp_get_wtime() - begin < 6.5 && RELEASED;)
        ;
    stop = RELEASED;
    #pragma omp target update to(stop)
    #pragma omp taskwait
    #pragma omp target exit data map(release: stop, cores)
    return answer != 42;
}
"""
WAITS = (
    r"x\.c:20: region on epiphany:0: kernel ompls_x_\w+_main_1 waits for a core, for {} seconds now; "
    r"all 16 are held: 16 by kernel "
)


def test_a_kernel_that_waits_for_cores_says_who_has_them(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(STAYS.replace("RELEASED", "1"))
    told = run(source).stderr
    assert re.search(WAITS.format(5) + r"ompls_x_\w+_main_0 of .*x\.c:8", told), told


def test_a_kernel_that_waits_for_cores_in_vain_ends(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(STAYS.replace("RELEASED", "0"))
    told = run(source, code=125, OMPLS_EPIPHANY_DEADLINE="2").stderr
    assert re.search(WAITS.format(1) + r"ompls_x_\w+_main_0 of .*x\.c:8", told), told
    assert re.search("did not end within 2 seconds|got no core within 2 seconds: 16 by kernel", told), told


# Kernels that wait for each other: each of them needs a core.
TOGETHER = """\
static int there[17];
int main(void)
{
    #pragma omp target enter data map(to: there)
    for (int k = 0; k < 17; k++) {
        #pragma omp target map(there) firstprivate(k) nowait
        {
            #pragma omp atomic write
            there[k] = 1;
            for (int sum = 0; sum < 17;) {
                sum = 0;
                for (int i = 0, one; i < 17; i++) {
                    #pragma omp atomic read
                    one = there[i];
                    sum += one;
                }
                #pragma omp taskyield
            }
        }
    }
    #pragma omp taskwait
    #pragma omp target exit data map(release: there)
    return 0;
}
"""


def test_more_kernels_than_cores_that_wait_for_each_other_say_so() -> None:
    """Also those that have no thread of the host: on a chip with more cores they run."""
    program = sources.kept(TOGETHER)
    told = run(program, code=125, OMPLS_EPIPHANY_DEADLINE="4").stderr
    assert re.search(r"waits for a core, for 2 seconds now; all 16 are held: 16 by kernel ompls_x_\w+_main_0 of", told)
    assert run(program, OMPLS_EPIPHANY_CHIP="64").stderr == ""


def test_the_external_memory_is_32_mib(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(TEXT.replace("STATEMENT", "").replace("char bytes[16]", "static char bytes[40 << 20]"))
    told = run(source, code=125).stderr
    assert "no room for 41943040 bytes in the external memory (32 MiB); mapped now: " in told


def test_a_layout_of_its_own_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(
        "struct s { long a; } s;\n" + TEXT.replace("STATEMENT", "s.a = 1").replace("a, bytes", "a, bytes, s")
    )
    assert "`a`" in command.ompls("check", "--device", "epiphany", source).stdout
    done = command.ompls("run", "--device", "epiphany", source)
    assert done.returncode == 125
    assert "cannot be translated for epiphany" in done.stderr


CUT = """\
int main(void)
{
    unsigned long n = 1ul << 40;
    int a = 0;
#pragma omp target map(tofrom: a)
    for (unsigned long i = n - 2; i < n; i++)
        a++;
    return a != 2;
}
"""


def test_a_value_that_does_not_fit_a_cores_long_is_an_error() -> None:
    told = run(sources.kept(CUT), code=125).stderr
    assert "a value of `long` or `unsigned long` that kernel ompls_x_" in told
    assert "does not fit the 4 bytes that they have on a core; use int64_t or uint64_t in the region, too" in told


REDUCED = """\
#pragma omp declare reduction(most: long: omp_out = omp_in > omp_out ? omp_in : omp_out)
long f(int n)
{
    long all = 0;
#pragma omp target parallel for reduction(most: all)
    for (int i = 0; i < n; i++)
        all = i > all ? i : all;
    return all;
}
"""


def test_a_long_that_has_a_type_of_the_device_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(REDUCED)
    told = command.ompls("check", "--device", "epiphany", source).stdout
    assert "`all` cannot be shared with epiphany: `long` has 8 bytes on the host and 4 on epiphany" in told


def test_auto_never_chooses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ompls.runtime.devices.PREFERENCE", ("epiphany", "host"))
    assert choose("auto")[0][0].name == "host"
    assert "emulated" in STATE.description


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    marked = tmp_path / "x.c"
    marked.write_text("""#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int a = 0;
#pragma omp target map(tofrom: a)
    a = 1;
    printf("%d\\n", getpid());
    return a != 1;
}
""")
    number = int(run(marked).stdout)

    def there() -> bool:
        found = [
            path for path in Path("/proc").glob("[0-9]*/cmdline") if _words(path) == ["ompls-epiphany", str(number)]
        ]
        return bool(found)

    until(lambda: not there())


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().rstrip("\0").split("\0")
    except OSError:  # it has just ended
        return []
