"""The Python-hosted form: a device written in Python (devices/pyhost.py) under a program that must not notice it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from handmade import SAXPY_HOST, SAXPY_KERNEL, SAXPY_PARAMS, make_bundle, saxpy_bundle
from thinned import thinned
from waiting import LIMIT

from ompls.runtime import launcher, start
from ompls.runtime.build import build

# Says everything that could differ between a native and a hosted run.
NOSY = r"""
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
extern char **environ;
static const char *name(void (*handler)(int)) {
    return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignored" : "handled";
}
static void at_end(void) { printf("atexit\n"); }
static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
int main(int argc, char **argv, char **envp) {
    struct rlimit limit;
    for (int i = 1; i < argc; i++) printf("argv[%d] = %s\n", i, argv[i]);
    printf("%d %s\n", argv[argc] == NULL, argv[0][strlen(argv[0]) - 1] ? "named" : "");
    for (int i = 1; i < 32; i++)
        if (i != SIGKILL && i != SIGSTOP) {
            struct sigaction action;
            sigaction(i, NULL, &action);
            printf("signal %d %s\n", i, name(action.sa_handler));
        }
    int count = 0;
    while (envp[count]) count++;
    qsort(envp, count, sizeof *envp, compare);
    for (int i = 0; i < count; i++) printf("%s\n", envp[i]);
    getrlimit(RLIMIT_STACK, &limit);
    printf("%d %s %s %lu %d\n", envp == environ, setlocale(LC_ALL, NULL), localeconv()->decimal_point,
           (unsigned long)limit.rlim_cur, isatty(1));
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int i = 1; i < 32; i++) if (sigismember(&mask, i)) printf("blocked %d\n", i);
    char big[4 << 20];
    memset(big, argc, sizeof big);
    printf("%d %d\n", big[sizeof big - 1], getchar());
    fprintf(stderr, "stderr\n");
    atexit(at_end);
    printf("no newline at the end");
    if (argc > 1 && !strcmp(argv[1], "raise")) { fflush(stdout); raise(atoi(argv[2])); }
    if (argc > 1 && !strcmp(argv[1], "pipe")) for (;;) if (puts("x") < 0) return errno;
    return 42;
}
"""


def both(
    tmp_path: Path, host: str, kernels: dict[str, str], params: dict[str, list[dict[str, Any]]]
) -> list[list[str]]:
    """The command lines of the native and of the hosted program."""
    bundle = make_bundle(tmp_path / "bundle", host, kernels, params)
    built = [build(bundle, device, tmp_path / device / "prog") for device in ("host", "pyhost")]
    return [launcher.command(one) for one in built]


@pytest.fixture(autouse=True)
def directories(tmp_path: Path) -> None:
    (tmp_path / "host").mkdir()
    (tmp_path / "pyhost").mkdir()


@pytest.mark.parametrize(
    "args", thinned([[], ["a", "", "x y", "--help"], ["--"], ["raise", "11"], ["raise", "2"], ["raise", "13"]], 2)
)
@pytest.mark.parametrize("env", [{}, {"LC_ALL": "C"}, {"LC_CTYPE": "C"}, {"LANG": "C.UTF-8", "ODD": "a=b"}])
def test_a_program_does_not_notice(tmp_path: Path, args: list[str], env: dict[str, str], cache: Path) -> None:
    minimal = {
        "PATH": "/usr/bin:/bin",
        "OMPLS_DEVICES": "pyhost",
        "OMPLS_DEVICE_PATH": str(Path(__file__).parent / "devices"),
        **env,
    }
    minimal["OMP_TARGET_OFFLOAD"] = "disabled"
    runs = []
    for command in both(tmp_path, NOSY, {}, {}):
        done = subprocess.run([*command, *args], env=minimal, input=b"in", capture_output=True, check=False)
        runs.append((done.returncode, done.stdout, done.stderr))
    assert runs[0] == runs[1]
    assert runs[0][0] == (-int(args[1]) if args[:1] == ["raise"] else 42)


def test_a_broken_pipe_is_one(tmp_path: Path) -> None:
    for command in both(tmp_path, NOSY, {}, {}):
        with subprocess.Popen(
            [*command, "pipe"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as child:
            assert child.stdout is not None
            child.stdout.readline()
            child.stdout.close()
            assert child.wait(LIMIT) == -13


def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    text = '#include <stdio.h>\n#include <unistd.h>\nint main(void) { puts("up"); fflush(stdout); for (;;) pause(); }\n'
    for command in both(tmp_path, text, {}, {}):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"up\n"
            child.send_signal(2)
            assert child.wait(LIMIT) == -2


THREADS = SAXPY_HOST.replace(
    "int main(",
    """
#include <pthread.h>
static void *foreign(void *wrong) {
    enum { N = 100 };
    float x[N], y[N];
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N; i++) x[i] = i, y[i] = round;
        saxpy(N, 3, x, y);
        for (int i = 0; i < N; i++) __atomic_fetch_add((int *)wrong, y[i] != round + 3.0f * i, __ATOMIC_RELAXED);
    }
    return 0;
}
static int several(void) {
    int wrong = 0;
    pthread_t thread[3];
    for (int i = 0; i < 3; i++) pthread_create(&thread[i], 0, foreign, &wrong);
#pragma omp parallel num_threads(3)
    foreign(&wrong);
    for (int i = 0; i < 3; i++) pthread_join(thread[i], 0);
    return wrong;
}
int main(""",
).replace("wrong = 0;\n    float", "wrong = several();\n    float")


def test_several_host_threads(tmp_path: Path) -> None:
    """Threads of libgomp and of the program call the Python device at once; some end before the program does."""
    bundle = make_bundle(tmp_path / "bundle", THREADS, {"saxpy_0": SAXPY_KERNEL}, {"saxpy_0": SAXPY_PARAMS})
    built = build(bundle, "pyhost", tmp_path / "prog")
    done = subprocess.run(
        launcher.command(built), env=launcher.environment(built), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    wrong, closed = sorted(done.stdout.splitlines())
    assert wrong == "0 wrong, 1 devices, initial 1"
    assert closed.startswith("closed 0: 0 buffers, ")


def test_python_errors_are_reported(tmp_path: Path) -> None:
    built = build(saxpy_bundle(tmp_path / "bundle"), "pyhost", tmp_path / "prog")
    env = {**launcher.environment(built), "PYHOST_LIMIT": "100"}
    done = subprocess.run(launcher.command(built), env=env, capture_output=True, text=True, check=False)
    said = (
        "saxpy.c:9: region on pyhost:0: no device memory for 'x[0:n]' (4000 bytes): no buffer of 4000 bytes; "
        "nothing is mapped; map less\n"
    )
    assert (done.returncode, done.stderr) == (125, said)
    env["PYHOST_LIMIT"] = "not a number"
    done = subprocess.run(launcher.command(built), env=env, capture_output=True, text=True, check=False)
    assert "no device memory for 'x[0:n]' (4000 bytes): ValueError: invalid literal" in done.stderr


def test_devices_are_closed_before_their_driver_ends(tmp_path: Path) -> None:
    built = build(saxpy_bundle(tmp_path / "bundle"), "pyhost", tmp_path / "prog")
    env = {**launcher.environment(built), "PYHOST_DRIVER": "1"}
    done = subprocess.run(launcher.command(built), env=env, capture_output=True, text=True, check=False)
    said = [line[:8] for line in done.stdout.splitlines()]
    assert [line for line in said if line in ("closed 0", "driver e")] == ["closed 0", "driver e"]


def test_the_stub_needs_python_only_for_its_devices(tmp_path: Path) -> None:
    """Without the interpreter the program runs when no device in Python is wanted, else it says what is missing."""
    built = build(saxpy_bundle(tmp_path / "bundle"), "pyhost,host", tmp_path / "prog")
    env = {
        "PATH": os.environ["PATH"],
        "OMPLS_DEVICE_PATH": os.environ["OMPLS_DEVICE_PATH"],
        "OMPLS_PYTHON": "/nowhere/python",
    }

    def run(**more: str) -> tuple[int, str, str]:
        done = subprocess.run([built.program], env={**env, **more}, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    assert run(OMPLS_DEVICES="host", OMP_TARGET_OFFLOAD="mandatory") == (0, "0 wrong, 1 devices, initial 1\n", "")
    assert run(OMP_TARGET_OFFLOAD="disabled") == (0, "0 wrong, 0 devices, initial 1\n", "")
    missing = (
        "it needs Python, but /nowhere/python does not start (No such file or directory); set OMPLS_PYTHON or build"
    )
    for devices in ("pyhost", "host:2,pyhost:1", ""):
        code, out, err = run(OMPLS_DEVICES=devices)
        assert (code, out) == (125, "")
        assert err.startswith(f"ompls: error: device 'pyhost' is not available: {missing}")
    # With it, both kinds of device are in one program, in the order that is asked for.
    both = "0 wrong, 3 devices, initial 1\n"
    assert run(OMPLS_PYTHON="", OMPLS_DEVICES="host:2,pyhost", OMP_TARGET_OFFLOAD="mandatory") == (0, both, "")
    code, out, err = run(OMPLS_PYTHON="", OMPLS_DEVICES="pyhost,host:2", OMP_TARGET_OFFLOAD="mandatory")
    # The device speaks through Python's stdout, the program through C's: two buffers.
    assert (code, sorted(out.splitlines(True)), err) == (0, [both, "closed 0: 0 buffers, 1 threads\n"], "")


def test_the_interpreter_may_be_named_from_where_the_program_is_started(tmp_path: Path) -> None:
    built = build(saxpy_bundle(tmp_path / "bundle"), "pyhost", tmp_path / "prog")
    (tmp_path / "bin").symlink_to(Path(sys.executable).parent)
    env = {**launcher.environment(built), "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    for python in ("bin/python", "./bin/../bin/python", "python"):
        done = subprocess.run(
            [built.program], cwd=tmp_path, env={**env, "OMPLS_PYTHON": python}, capture_output=True, check=False
        )
        assert b"0 wrong, 1 devices, initial 1\n" in done.stdout, done.stderr


def test_a_runtime_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "SCRIPT", "/nowhere/start.py")
    built = build(saxpy_bundle(tmp_path / "bundle"), "pyhost", tmp_path / "prog")
    done = subprocess.run(launcher.command(built), capture_output=True, text=True, check=False)
    why = "the runtime is not at /nowhere/start.py (No such file or directory); build the program again"
    assert (done.returncode, done.stderr) == (125, f"ompls: error: device 'pyhost' is not available: {why}\n")


BUILDING = ("argparse", "concurrent.futures", "dataclasses", "inspect", "logging", "ompls.runtime.build")
WAITING = {
    "import ompls.runtime.__main__ as m, ompls.devices.remote.device; m.hosted.devices_of(['none'])":
        ("tempfile", "ompls.devices.host"),
    "import ompls.devices.remote.streams": ("ompls.devices.host",),
    "import ompls.devices.host.module, ompls.devices.mpinode.module.cluster": ("tempfile", "ompls.runtime.toolchain"),
    "import ompls.devices.remote.left": ("ompls.runtime.devices", "ompls.devices.mpinode"),
}  # fmt: skip


@pytest.mark.parametrize("program", WAITING)
def test_a_program_waits_for_no_module_that_it_does_without(program: str) -> None:
    """When it starts, when nodes are its devices, and for what ends what it leaves of these."""
    words = [sys.executable, "-c", f"{program}; import sys; print(*sys.modules)"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert {*BUILDING, *WAITING[program]} & set(done.stdout.split()) == set()


def test_a_damaged_program(tmp_path: Path) -> None:
    (tmp_path / "bad.so").write_bytes(b"no")
    command = [sys.executable, "-m", "ompls.runtime", "host-program", str(tmp_path / "bad.so"), "", "bad"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 125
    assert "bad.so: file too short; build it again" in done.stderr


NUMBERS = r"""
#include <stdio.h>
#include <omp.h>
static const ompls_item_desc items[] = {{"n", OMPLS_MAP_FROM}};
static const ompls_param_desc params[] = {{"n", OMPLS_PARAM_ADDRESS, 0, 8}};
static ompls_region region = {"prog.c", 1, "ask", OMPLS_MODE_SPMD, 1, 1, 0, items, params, 0, 0, 0};
int main(void) {
    for (int device = 0; device < omp_get_num_devices(); device++) {
        int n = -1;
        ompls_arg args[] = {{&n, &n, sizeof n, 0}};
        printf("%d ", ompls_target(&region, device, args, 0, 0) ? n : -2);
    }
    puts("");
    return 0;
}
"""
ASK = "#include <omp.h>\nvoid ask(void **params) { **(int **)params[0] = omp_get_device_num(); }\n"


@pytest.mark.parametrize("devices", ["host:2", "host,host:2", "pyhost,host:2", "host,pyhost:2"])
def test_kernels_know_the_number_of_their_device(tmp_path: Path, devices: str) -> None:
    """As the program counts, also over devices of several kinds."""
    params = {"ask": [{"name": "n", "kind": "address", "size": 8}]}
    built = build(make_bundle(tmp_path / "bundle", NUMBERS, {"ask": ASK}, params), devices, tmp_path / "prog")
    done = subprocess.run(launcher.command(built), env=launcher.environment(built), capture_output=True, check=False)
    count = 2 if devices == "host:2" else 3
    numbers = min(done.stdout.split(b"\n")[:-1])  # beside it, what the Python device says when it is closed
    assert numbers.split() == [b"%d" % n for n in range(count)], done.stderr


@pytest.mark.parametrize(("wanted", "there"), [("kind(gpu)", 1), ("kind(cpu)", 2), ("kind(nohost)", 3)])
def test_a_device_in_python_says_of_what_kind_it_is(tmp_path: Path, wanted: str, there: int) -> None:
    params = {"ask": [{"name": "n", "kind": "address", "size": 8}]}
    built = build(make_bundle(tmp_path / "bundle", NUMBERS, {"ask": ASK}, params), "host:2,pyhost", tmp_path / "prog")
    env = {**launcher.environment(built), "OMP_AVAILABLE_DEVICES": wanted}
    done = subprocess.run(launcher.command(built), env=env, capture_output=True, check=False)
    assert min(done.stdout.split(b"\n")[:-1]).split() == [b"%d" % n for n in range(there)], done.stderr


PROTOCOL = r"""
#include <omp.h>
#include <stdio.h>
#include <string.h>
static struct { long before; int *data; } node;
static const ompls_item_desc items[] = {{"node", OMPLS_MAP_TO | OMPLS_MAP_FROM},
                                        {"node.data[0:4]", OMPLS_MAP_TO | OMPLS_MAP_FROM | OMPLS_MAP_ATTACH}};
static const ompls_param_desc params[] = {{"node", OMPLS_PARAM_ADDRESS, 0, 8}, {"n", OMPLS_PARAM_VALUE, 0, 4},
                                          {"p", OMPLS_PARAM_POINTER, 1, 8}, {"length", OMPLS_PARAM_SIZE, 2, 8}};
static ompls_region region = {"prog.c", 1, "add", OMPLS_MODE_SPMD, 2, 4, 3, items, params, 0, 0, "main_0_0badcafe"};
int main(void) {
    int data[4] = {1, 2, 3, 4}, n = 4, back[4] = {0}, host = omp_get_initial_device();
    int *first = omp_target_alloc(sizeof data, 0), *second = omp_target_alloc(sizeof data, 1);
    long length = 4;
    const void *values[] = {&n, &second, &length};
    node.data = data;
    omp_target_memcpy(first, data, sizeof data, 0, 0, 0, host);
    omp_target_memcpy(second, first, sizeof data, 0, 0, 1, 0);
    ompls_arg args[] = {{&node, &node, sizeof node, 0}, {data, data, sizeof data, &node.data}};
    ompls_target(&region, 1, args, values, 0);
    omp_target_memcpy(back, second, sizeof back, 0, 0, host, 1);
    printf("%d %d, %d\n", data[3], back[3], node.data == data);
    omp_target_free(first, 0);
    omp_target_free(second, 1);
    return 0;
}
"""
ADD = """void add(void **params) {
    struct { long before; int *data; } *node = *(void **)params[0];
    int *p = *(int **)params[2];
    for (int i = 0; i < *(int *)params[1]; i++) node->data[i] += p[i], p[i] += (int)*(long *)params[3];
}
"""


def test_a_device_in_python_has_the_whole_protocol(tmp_path: Path) -> None:
    params = {"add": [{"name": name, "kind": "address", "size": 8} for name in ("node", "n", "p", "length")]}
    built = build(make_bundle(tmp_path / "bundle", PROTOCOL, {"add": ADD}, params), "pyhost:2", tmp_path / "prog")
    env = {**launcher.environment(built), "PYHOST_TELL": "1"}
    done = subprocess.run(launcher.command(built), env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(line for line in done.stdout.splitlines() if not line.startswith("closed")) == [
        "16 bytes from device 0 to 1",
        "8 8, 1",
        "a pointer is attached",
        "main_0_0badcafe: address, value, address, size",
    ]


@pytest.mark.parametrize("probe", ["none", "text", "negative", "huge", "a word that raises KeyError"])
def test_a_device_whose_probe_fails_is_told_also_unasked(tmp_path: Path, probe: str) -> None:
    built = build(saxpy_bundle(tmp_path / "bundle"), "pyhost", tmp_path / "prog")
    env = {**launcher.environment(built), "PYHOST_PROBE": probe}
    del env["OMPLS_DEVICES"]
    done = subprocess.run(launcher.command(built), env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert re.fullmatch("ompls: warning: device 'pyhost' is not available: (Type|Overflow|Key)Error: .*\n", done.stderr)


@pytest.mark.parametrize("properties", ["none", "text", "threads"])
def test_properties_that_are_none_are_told(tmp_path: Path, properties: str) -> None:
    built = build(saxpy_bundle(tmp_path / "bundle"), "pyhost", tmp_path / "prog")
    env = {**launcher.environment(built), "PYHOST_PROPERTIES": properties}
    done = subprocess.run(launcher.command(built), env=env, capture_output=True, text=True, check=False)
    assert "device pyhost:0 cannot be opened: TypeError: " in done.stderr


def test_a_factory_that_raises_is_told(tmp_path: Path) -> None:
    built = build(saxpy_bundle(tmp_path / "bundle"), "pyhost", tmp_path / "prog")
    env = {**launcher.environment(built), "PYHOST_BROKEN": "no cable"}
    del env["OMPLS_DEVICES"]
    done = subprocess.run(launcher.command(built), env=env, capture_output=True, text=True, check=False)
    told = "its module raises ZeroDivisionError: no cable (__init__.py:"
    assert (done.returncode, told in done.stderr, done.stderr.count("\n")) == (0, True, 1)
