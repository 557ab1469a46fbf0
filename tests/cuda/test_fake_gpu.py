"""The device `cuda`, native and through unmodified pycuda, on a driver that has no GPU (tests/cuda/fake): all but the
hardware."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import command
import fake
import pytest
from thinned import thinned

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.c"))


def ompls(machine: dict[str, str], *words: object, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command line on that machine."""
    if machine["OMPLS_CUDA"] == "native":
        return command.ompls(*words, env={**machine, **more}, cwd=ROOT)
    return subprocess.run(  # pycuda is found by PYTHONPATH
        [sys.executable, "-m", "ompls", *map(str, words)],
        env={**machine, **more}, capture_output=True, text=True, timeout=240, check=False, cwd=ROOT,
    )  # fmt: skip


def run(machine: dict[str, str], tmp_path: Path, text: str, *words: object, **more: str) -> tuple[int, str, str]:
    """Run a program's text on the device."""
    path = tmp_path / "program.c"
    path.write_text(text)
    done = ompls(machine, "run", "--device", *(words or ("cuda",)), path, **more)
    return done.returncode, done.stdout, done.stderr.replace(str(tmp_path) + "/", "")


@pytest.mark.parametrize("path", thinned(EXAMPLES, 4, of_rest=3), ids=lambda path: path.stem)
def test_the_examples_are_right(path: Path, machine: dict[str, str], tmp_path: Path) -> None:
    record = tmp_path / "trace"
    device = "cuda:2" if path.stem == "dot_devices" else "cuda"
    done = ompls(machine, "run", "--device", device, "--trace", record, path, OMPLS_FAKE_GPUS="2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(", correct\n")
    events = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    launched = {event["device"] for event in events if event["kind"] == "launch"}
    assert launched == ({"cuda:0", "cuda:1"} if device == "cuda:2" else {"cuda:0"})


@pytest.mark.thorough
def test_the_first_jetson_runs_ptx(machine: dict[str, str], tmp_path: Path) -> None:
    """nvrtc of CUDA 10.2 makes no machine code; the driver makes it of PTX."""
    fake.compiler(tmp_path / "libnvrtc.so", 1002)
    words = ("run", "--device", "cuda", ROOT / "examples/jacobi.c")
    done = ompls(machine, *words, OMPLS_NVRTC=str(tmp_path / "libnvrtc.so"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(", correct\n")


def test_it_is_listed_and_chosen_first(machine: dict[str, str]) -> None:
    done = ompls(machine, "devices", OMPLS_FAKE_GPUS="2")
    assert done.stdout.startswith("cuda       available (Fake GPU 0, Fake GPU 1)\n")
    done = ompls(machine, "run", "--device", "auto", ROOT / "examples/saxpy.c", OMPLS_INFO="-1")
    assert "cuda:0" in done.stderr


def test_no_gpu_falls_to_the_next_device(machine: dict[str, str]) -> None:
    done = ompls(machine, "devices", OMPLS_FAKE_GPUS="0")
    assert done.stdout.startswith("cuda       not available: the driver says: cuInit failed: no CUDA-capable device")
    done = ompls(machine, "run", "--device", "auto", ROOT / "examples/saxpy.c", OMPLS_FAKE_GPUS="0", OMPLS_INFO="-1")
    assert done.returncode == 0
    assert "cudasim:0" in done.stderr


SUM = """
#include <stdio.h>
int main(void) {
    long sum = 0;
    #pragma omp target teams distribute parallel for reduction(+: sum) map(tofrom: sum)
    for (int i = 0; i < 20000; i++)
        sum += i;
    printf("%ld\\n", sum);
}
"""


def test_a_reduction_has_no_more_teams_than_fill_the_gpu(machine: dict[str, str], tmp_path: Path) -> None:
    """Each joins its part; the fake GPU has two processors."""
    record = tmp_path / "trace"
    assert run(machine, tmp_path, SUM, "cuda", "--trace", record) == (0, "199990000\n", "")
    events = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    assert [event["grid"][0] for event in events if event["kind"] == "launch"] == [64]


# Two regions in two kernel files share a variable: every module's copy of its pointer must be written.
SHARED = """
#include <stdio.h>
#pragma omp declare target
int counter = 5;
#pragma omp end declare target
int main(void) {
    int seen = 0, again = 0;
    #pragma omp target map(from: seen)
    { counter += 1; seen = counter; }
    #pragma omp target map(from: again)
    { counter += 10; again = counter; }
    #pragma omp target update from(counter)
    printf("%d %d %d\\n", seen, again, counter);
    return 0;
}
"""


def test_a_variable_of_several_modules_is_one(machine: dict[str, str], tmp_path: Path) -> None:
    assert run(machine, tmp_path, SHARED) == (0, "6 16 16\n", "")


# Firstprivate values whose alignment is smaller than their size lie where the kernel looks for them.
VALUES = """
#include <stdio.h>
struct odd { char bytes[8]; };
int main(void) {
    char c = 1; short s = 2; struct odd o = {{3, 4, 5, 6, 7, 8, 9, 10}}; double d = 11.0; float f = 12.0f;
    double sum = 0;
    #pragma omp target map(tofrom: sum) firstprivate(c, s, o, d, f)
    {
        sum = c + s + d + f;
        for (int i = 0; i < 8; i++) sum = sum * 2 + o.bytes[i];
    }
    double expected = 26;
    for (int i = 0; i < 8; i++) expected = expected * 2 + o.bytes[i];
    printf("%d\\n", sum == expected);
    return 0;
}
"""


def test_values_of_every_alignment_arrive(machine: dict[str, str], tmp_path: Path) -> None:
    assert run(machine, tmp_path, VALUES) == (0, "1\n", "")


HEAP = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int got = -1;
    #pragma omp target map(from: got)
    {
        char *large = malloc(30 << 20);
        got = large != NULL;
        free(large);
    }
    printf("%d\\n", got);
    return 0;
}
"""


@pytest.mark.parametrize(("mebibytes", "got"), [({}, 0), ({"OMPLS_DEVICE_HEAP": "40"}, 1)])
def test_the_heap_of_kernels(machine: dict[str, str], tmp_path: Path, mebibytes: dict[str, str], got: int) -> None:
    assert run({**machine, **mebibytes}, tmp_path, HEAP) == (0, f"{got}\n", "")


# Threads of a block of which a kernel with many registers has fewer.
MANY = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    int threads = 0, flat = 0, sum = 0;
    #pragma omp target teams distribute parallel for num_threads(1024) num_teams(2) map(from: threads) reduction(+: sum)
    for (int i = 0; i < 5000; i++) {
        if (i == 0) threads = omp_get_num_threads();
        sum += i;
    }
    #pragma omp target map(from: flat)
    flat = omp_is_initial_device();
    printf("%d %d %d\\n", threads, sum, flat);
    return 0;
}
"""


@pytest.mark.parametrize(("most", "threads"), thinned([(700, 672), (1024, 1024), (128, 128)], 3))
def test_a_kernel_of_many_registers_has_fewer_threads(
    machine: dict[str, str], tmp_path: Path, most: int, threads: int
) -> None:
    """CUfunction_attribute MAX_THREADS_PER_BLOCK; a launch with more is error 701 on a GPU."""
    many = {**machine, "OMPLS_FAKE_THREADS": str(most)}
    assert run(many, tmp_path, MANY) == (0, f"{threads} {sum(range(5000))} 0\n", "")


# A kernel that follows a host pointer: error 700, which no later call gets rid of.
FAULT = """
#include <stdio.h>
#include <stdint.h>
int main(void) {
    int x[10] = {0};
    uintptr_t where = (uintptr_t)x;
    #pragma omp target firstprivate(where)
    { *(int *)where = 1; }
    printf("not reached\\n");
    return 0;
}
"""


def test_a_fault_ends_the_program_with_its_region(machine: dict[str, str], tmp_path: Path) -> None:
    code, out, err = run(machine, tmp_path, FAULT)
    assert (code, out) == (125, "")
    assert re.match(r"\S*program\.c:7: ", err)
    assert "cuda:0" in err
    assert "an illegal memory access was encountered" in err
    assert "run it with --device cudasim" in err
    assert err.count("\n") == 1


TOO_MUCH = """
#include <stdlib.h>
int main(void) {
    char *x = malloc(1 << 20);
    #pragma omp target enter data map(alloc: x[0:1 << 20])
    #pragma omp target enter data map(alloc: x[1 << 20:1ul << 30])
    return 0;
}
"""


def test_out_of_memory_says_what_is_in_use(machine: dict[str, str], tmp_path: Path) -> None:
    code, _, err = run(machine, tmp_path, TOO_MUCH, OMPLS_CUDASIM_MEMORY="64")
    assert code == 125
    assert re.match(r"\S*program\.c:6: ", err)
    assert "allocating 1073741824 bytes: out of device memory: " in err
    assert "of 67108864 bytes in use" in err


THREADS = """
#include <stdio.h>
#include <pthread.h>
#include <omp.h>
enum { N = 1000 };
static int wrong;
static void work(int me) {
    int x[N], where = me % omp_get_num_devices();
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < N; i++) x[i] = i;
        #pragma omp target teams distribute parallel for map(tofrom: x) device(where)
        for (int i = 0; i < N; i++) x[i] += me;
        for (int i = 0; i < N; i++)
            if (x[i] != i + me) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    }
}
static void *thread(void *me) { work((int)(long)me); return 0; }
int main(void) {
    pthread_t threads[4];
    for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, thread, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    #pragma omp parallel num_threads(4)
    work(omp_get_thread_num());
    printf("%d wrong on %d\\n", wrong, omp_get_num_devices());
    return 0;
}
"""


def test_threads_share_the_gpus(machine: dict[str, str], tmp_path: Path) -> None:
    assert run(machine, tmp_path, THREADS, "cuda:2", OMPLS_FAKE_GPUS="2") == (0, "0 wrong on 2\n", "")


COPIES = """
#include <stdio.h>
#include <string.h>
#include <omp.h>
int main(void) {
    char text[8] = "abcdefg", back[8] = "";
    int d = omp_get_default_device(), h = omp_get_initial_device();
    char *a = omp_target_alloc(8, d), *b = omp_target_alloc(8, d);
    omp_target_memcpy(a, text, 8, 0, 0, d, h);
    omp_target_memcpy(b, a, 8, 0, 0, d, d);
    omp_target_memcpy(back, b, 8, 0, 0, h, d);
    omp_target_free(a, d);
    omp_target_free(b, d);
    puts(back);
    int on_host = 1;
    #pragma omp target map(from: on_host)
    on_host = omp_is_initial_device();
    printf("%d\\n", on_host);
    return 0;
}
"""


def test_memory_routines(machine: dict[str, str], tmp_path: Path) -> None:
    assert run(machine, tmp_path, COPIES) == (0, "abcdefg\n0\n", "")


PEERS = """
#include <stdio.h>
#include <omp.h>
int main(void) {
    char text[8] = "abcdefg", back[8] = "";
    char *a = omp_target_alloc(8, 0), *b = omp_target_alloc(8, 1);
    omp_target_memcpy(a, text, 8, 0, 0, 0, omp_get_initial_device());
    omp_target_memcpy(b, a, 8, 0, 0, 1, 0);
    omp_target_memcpy(back, b, 8, 0, 0, omp_get_initial_device(), 1);
    puts(back);
    return 0;
}
"""


def test_gpus_copy_to_each_other_without_the_host(machine: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "calls"
    log.touch()
    given = {"OMPLS_FAKE_GPUS": "2", "OMPLS_FAKE_CALLS": str(log)}
    assert run(machine, tmp_path, PEERS, "cuda:2", **given) == (0, "abcdefg\n", "")
    counted = Counter(log.read_text().split())
    copies = ("cuMemcpyHtoDAsync_v2", "cuMemcpyPeer", "cuMemcpyDtoHAsync_v2")
    assert [counted[name] for name in copies] == [1, 1, 1]


def calls(machine: dict[str, str], tmp_path: Path, text: str, times: int, *words: str) -> list[str]:
    """The driver's functions that a program calls, which gets the number of its rounds."""
    log = tmp_path / f"calls-{times}"
    log.touch()
    source = text.replace("ROUNDS", str(times))
    assert run(machine, tmp_path, source, *words, OMPLS_FAKE_CALLS=str(log)) == (0, "", "")
    return log.read_text().split()


def each_round(machine: dict[str, str], tmp_path: Path, body: str) -> dict[str, int]:
    """The driver's functions that one more round of a loop calls, and how often."""
    text = f"static int a[10], b[10], c[10]; int main(void) {{ for (int i = 0; i < ROUNDS; i++) {{ {body} }} }}"
    few, many = (Counter(calls(machine, tmp_path, text, times)) for times in (3, 13))
    return {name: (many[name] - few[name]) // 10 for name in many if many[name] != few[name]}


def test_an_empty_region_is_a_launch_and_a_wait(machine: dict[str, str], tmp_path: Path) -> None:
    expected = {"cuLaunchKernel": 1, "cuStreamSynchronize": 1}
    assert each_round(machine, tmp_path, '_Pragma("omp target") { }') == expected


def test_a_region_waits_once_for_its_copies_and_its_kernel(machine: dict[str, str], tmp_path: Path) -> None:
    """Small variables share an allocation, a copy to the GPU and one back."""
    body = '_Pragma("omp target map(tofrom: a, b) map(to: c)") { a[0] += c[0]; b[0]++; }'
    found = each_round(machine, tmp_path, body)
    wanted = ("cuMemAlloc_v2", "cuMemcpyHtoDAsync_v2", "cuEventRecord", "cuLaunchKernel", "cuMemcpyDtoHAsync_v2")
    assert {name: found.pop(name, 0) for name in (*wanted, "cuMemFree_v2")} == {
        **dict.fromkeys(wanted, 1),
        "cuMemFree_v2": 1,
    }
    assert found.pop("cuStreamSynchronize") == 1
    assert all(name.startswith("cuCtx") for name in found), found  # allocations need pycuda's own context


LARGE = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    size_t n = (9 << 20) + 12345;
    unsigned char *x = malloc(n);
    for (size_t i = 0; i < n; i++) x[i] = i % 251;
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (size_t i = 0; i < n; i++) x[i] += 3;
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += x[i] != (unsigned char)(i % 251 + 3);
    if (wrong) printf("%zu wrong\\n", wrong);
    return 0;
}
"""


def test_large_copies_go_through_pinned_memory_in_pieces(machine: dict[str, str], tmp_path: Path) -> None:
    """10 MiB are three pieces each way; one more copy tells the image its number."""
    called = Counter(calls({**machine, "OMPLS_CUDA_STAGING": "1"}, tmp_path, LARGE, 1))
    assert (called["cuMemHostAlloc"], called["cuMemcpyHtoDAsync_v2"], called["cuMemcpyDtoHAsync_v2"]) == (2, 4, 3)
    called = Counter(calls(machine, tmp_path, LARGE, 2))
    assert (called["cuMemHostAlloc"], called["cuMemcpyHtoDAsync_v2"], called["cuMemcpyDtoHAsync_v2"]) == (0, 2, 1)


def test_exit_in_the_middle(machine: dict[str, str], tmp_path: Path) -> None:
    """pycuda's stacks of contexts must be empty when its exit handlers run, in every thread and child."""
    text = """
    #include <stdlib.h>
    #include <unistd.h>
    #include <sys/wait.h>
    int main(void) {
        int x = 0, status = 1;
        #pragma omp target map(tofrom: x)
        x = 7;
        pid_t child = fork();
        if (child == 0) exit(x);
        waitpid(child, &status, 0);
        #pragma omp target data map(tofrom: x)
        exit(WIFEXITED(status) ? WEXITSTATUS(status) + 1 : 99);
    }
    """
    assert run(machine, tmp_path, text) == (8, "", "")


def test_a_program_that_was_built_elsewhere_says_why_and_goes_on(machine: dict[str, str], tmp_path: Path) -> None:
    bundle, program = tmp_path / "bundle", tmp_path / "program"
    words = [sys.executable, "-m", "ompls.runtime", "build", "--device", "cuda", str(bundle), "-o", str(program)]
    assert ompls(machine, "translate", "--device", "cuda", ROOT / "examples/saxpy.c", "-o", bundle).returncode == 0
    assert subprocess.run(words, env=machine, check=False, cwd=ROOT).returncode == 0

    def started(**more: str) -> subprocess.CompletedProcess[str]:
        env = {**machine, "OMPLS_DEVICES": "cuda", **more}
        return subprocess.run([program], env=env, capture_output=True, text=True, check=False)

    assert started().stderr == ""
    done = started(OMPLS_FAKE_GPUS="0")
    assert (done.returncode, done.stdout[:6]) == (0, "saxpy:")
    assert "device 'cuda' is not available: the driver says: cuInit failed: no CUDA-capable device" in done.stderr
    assert started(OMPLS_FAKE_GPUS="0", OMP_TARGET_OFFLOAD="mandatory").returncode == 125


def test_the_benchmark_is_right(machine: dict[str, str], tmp_path: Path) -> None:
    if machine["OMPLS_CUDA"] == "native" and find_spec("numpy") is None:
        pytest.skip("numpy is not installed (extra cuda); it is where pycuda was built (make test-cuda)")
    figures = tmp_path / "figures.json"
    script = [
        sys.executable,
        ROOT / "bench/gpu/run.py",
        "--small",
        "--repeats",
        "2",
        "--only",
        "atax",
        "--json",
        figures,
    ]
    done = subprocess.run(script, env=machine, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    row = json.loads(figures.read_text())["programs"]["atax"][0]
    assert row["right"]
    assert row["openmp_s"] > 0 < row["cuda_s"]


# Large arrays of numbers are lent; small ones, and those with pointers in them, are copied.
LENT = """
#include <stdio.h>
#include <stdlib.h>
#define N 100000
struct part { int length; int *of; };
int main(void) {
    int *a = malloc(N * sizeof *a), *next = malloc(N * sizeof *next), few[4] = {1, 2, 3, 4}, seen;
    struct part *parts = calloc(N, sizeof *parts);
    for (int i = 0; i < N; i++) a[i] = next[i] = i;
    parts[7].length = 4, parts[7].of = few;
    #pragma omp target data map(tofrom: a[0:N], next[0:N], few) map(to: parts[0:N])
    {
        #pragma omp target teams distribute parallel for map(to: parts[7].of[0:4])
        for (int i = 0; i < N; i++) { a[i] *= 2; next[i] += parts[7].of[3]; }
        seen = a[5]; /* the host's and the device's, where it is lent */
        #pragma omp target update from(a[0:N])
        a[6] = 100;
        #pragma omp target update to(a[6:1])
        #pragma omp target
        a[6] += 1;
    }
    if (getenv("SHOWN")) printf("%d %d %d %d %d\\n", seen, a[6], a[N - 1], next[N - 1], parts[7].of == few);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("settings", "seen"),
    thinned([({"OMPLS_FAKE_INTEGRATED": "1"}, 10), ({}, 5), ({"OMPLS_CUDA_LEND": "1"}, 10),
             ({"OMPLS_FAKE_INTEGRATED": "1", "OMPLS_CUDA_LEND": "0"}, 5)], 4),
)  # fmt: skip
def test_integrated_memory_is_lent(
    machine: dict[str, str], tmp_path: Path, settings: dict[str, str], seen: int
) -> None:
    assert run({**machine, **settings, "SHOWN": "1"}, tmp_path, LENT) == (0, f"{seen} 101 199998 100003 1\n", "")
    called = Counter(calls({**machine, **settings}, tmp_path, LENT, 1))
    assert (called["cuMemHostRegister_v2"] > 0) == (seen == 10)
    assert called["cuMemHostRegister_v2"] >= called["cuMemHostUnregister"]
