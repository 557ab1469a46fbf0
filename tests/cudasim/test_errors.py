"""Kernels that a GPU would not run are rejected: each with its message, and none hangs."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from ctypes import c_int, c_long
from dataclasses import dataclass
from pathlib import Path

import pytest
import sim
from command import ompls

from ompls.runtime.errors import BuildFailed

Open = Callable[..., sim.Device]
Inline = Callable[[str], sim.Device]


@dataclass
class Wrong:
    """A kernel that is wrong on a GPU, and what is said.  `why`: the documentation it rests on."""

    name: str
    why: str
    body: str
    says: str
    block: object = 64
    shared: int = 0
    grid: object = 1


BARRIER = "PTX ISA, barrier"
GUIDE = "CUDA C++ Programming Guide"
WRONG = [
    Wrong(
        "some threads never come",
        BARRIER,
        "if (t < 31) ompls_sim_barrier(1, 32);",
        r"deadlock in block \(0,0,0\): 31 of 128 threads wait at barrier 1, 97 left the kernel \(at wrong.cu:5\)",
        128,
    ),
    Wrong(
        "a barrier in one branch only",
        f"{GUIDE}, synchronization functions",
        "if (t % 2) __syncthreads(); else ompls_sim_barrier(2, 64);",
        "lanes of one warp are at different barriers: thread 1 at barrier 0, thread 0 at barrier 2",
    ),
    Wrong(
        "lanes at different barriers that would complete",
        BARRIER,
        "if (t % 2) ompls_sim_barrier(1, 64); else ompls_sim_barrier(2, 64);",
        r"lanes of one warp are at different barriers: thread 1 at barrier 1, thread 0 at barrier 2 \(at wrong.cu:5\)",
        128,
    ),
    Wrong(
        "lanes at different instructions of one barrier",
        "PTX ISA, bar.sync is barrier.sync.aligned",
        "if (t % 2) __syncthreads();\nelse __syncthreads();",
        r"lanes of one warp are at different __syncthreads\(\): thread 1 in line 5, thread 0 in line 6 \(at wrong",
    ),
    Wrong(
        "lanes at barriers of different branches",
        "OpenMP, barrier: all threads of the team encounter it; PTX ISA, barrier",
        "if (t % 2) ompls_barrier();\nelse ompls_barrier();",
        r"lanes of one warp are at different __syncthreads\(\): thread 1 in line 5, thread 0 in line 6",
    ),
    Wrong(
        "lanes count votes in different branches",
        f"{GUIDE}, synchronization functions",
        "if (t < 9) out[t] = __syncthreads_count(1);\nelse out[t] = __syncthreads_or(0);",
        r"lanes of one warp are at different __syncthreads\(\): thread \d+ in line \d, thread \d+ in line \d",
    ),
    Wrong(
        "a count that is no multiple of the warp size",
        BARRIER,
        "ompls_sim_barrier(1, 40);",
        "barrier 1 expects 40 threads, not a multiple of 32",
    ),
    Wrong("a 17th barrier", BARRIER, "ompls_sim_barrier(16, 64);", "there is no barrier 16: a block has 16"),
    Wrong(
        "two counts for one barrier",
        BARRIER,
        "ompls_sim_barrier(1, t < 32 ? 64 : 96);",
        "barrier 1 expects 64 threads, now 96",
    ),
    Wrong(
        "a warp waits for a lane that has left",
        f"{GUIDE}, warp shuffle functions",
        "if (t == 5) return; out[t] = __shfl_sync(0xffffffffu, t, 0);",
        r"lane \d+ waits for lane 5 of its warp \(mask 0xffffffff\), which has left the kernel",
    ),
    Wrong(
        "a full mask in a partial warp",
        f"{GUIDE}, warp shuffle functions",
        "out[t] = __shfl_down_sync(0xffffffffu, t, 1);",
        r"lane 0 waits for lane 8 of its warp \(mask 0xffffffff\), which does not exist",
        40,
    ),
    Wrong(
        "a mask without the caller",
        "PTX ISA, shfl.sync",
        "out[t] = __shfl_sync(0x0000ffffu, t, 0);",
        "lane 16 calls a warp function with mask 0xffff, which lacks it",
    ),
    Wrong(
        "lanes with different masks",
        "PTX ISA, bar.warp.sync",
        "__syncwarp(t % 32 < 16 ? 0xffffffffu : 0xffff0000u);",
        "deadlock in block .*: 32 of 64 threads wait for other lanes of their warps",
    ),
    Wrong(
        "lanes in different warp functions",
        "PTX ISA, shfl.sync",
        "if (t % 2) out[t] = __ballot_sync(0xffffffffu, t); else out[t] = __shfl_sync(0xffffffffu, t, 3);",
        "lanes 31 and 0 of a warp wait for each other in different warp functions",
    ),
    Wrong(
        "half a warp shuffles, the other half waits",
        f"{GUIDE}, independent thread scheduling",
        "if (t < 16) __syncwarp(0xffffffffu); else __syncthreads();",
        "deadlock in block",
        32,
    ),
    Wrong(
        "an assertion",
        f"{GUIDE}, assertion",
        "assert(t != 3);",
        r"wrong.cu:5: .* thread \(3,0,0\): assertion `t != 3` failed",
    ),
    Wrong(
        "a trap", f"{GUIDE}, trap function", "if (t == 9) __trap();", r"the kernel called __trap\(\) \(at wrong.cu:5\)"
    ),
    Wrong(
        "a shuffle in segments of 12 lanes",
        "PTX ISA, shfl.sync",
        "out[t] = __shfl_down_sync(0xffffffffu, t, 1, 12);",
        r"a shuffle of width 12: a power of two up to 32 is possible \(at wrong.cu:5\)",
    ),
    Wrong(
        "__syncwarp without the caller in the mask",
        "PTX ISA, bar.warp.sync",
        "__syncwarp(0xfffffffeu);",
        r"lane 0 calls a warp function with mask 0xfffffffe, which lacks it",
    ),
    Wrong(
        "__syncwarp for a lane that has left",
        "PTX ISA, bar.warp.sync",
        "if (t == 40) return; __syncwarp();",
        r"lane \d+ waits for lane 8 of its warp \(mask 0xffffffff\), which has left the kernel",
    ),
    Wrong(
        "an empty mask",
        f"{GUIDE}, warp vote functions",
        "out[t] = __ballot_sync(0, t);",
        "lane 0 calls a warp function with mask 0, which lacks it",
    ),
    Wrong(
        "a misaligned atomic",
        f"{GUIDE}, size and alignment requirement",
        "atomicAdd(reinterpret_cast<int *>(reinterpret_cast<char *>(out) + 1), 1);",
        r"a misaligned address",
    ),
    Wrong(
        "an atomic operation on a thread's own variable",
        "PTX ISA, atom: global and shared memory",
        "int own = t; int *volatile p = &own; atomicAdd(p, 1); out[t] = own;",
        r"an atomic operation on a variable of one thread \(local memory\) \(at wrong.cu:5\)",
    ),
    Wrong(
        "a misaligned vector",
        f"{GUIDE}, size and alignment requirement",
        "*reinterpret_cast<double *>(out + 1) = t;",
        r"a misaligned address .* \(at wrong.cu:5\)",
    ),
    Wrong(
        "a vector of four on a multiple of eight",
        f"{GUIDE}, built-in vector types: alignments",
        "*reinterpret_cast<float4 *>(out + 2) = make_float4(t, t, t, t);",
        r"a misaligned address .* \(at wrong.cu:5\)",
    ),
    Wrong(
        "too wide a grid",
        f"{GUIDE}, compute capabilities",
        "out[t] = 1;",
        "a grid of 2147483648 x 1 x 1 blocks",
        1,
        0,
        (1 << 31, 1, 1),
    ),
    Wrong(
        "too many threads",
        f"{GUIDE}, compute capabilities",
        "out[t] = 1;",
        "a block of 1025 x 1 x 1 threads: 1 to 1024 are possible",
        1025,
    ),
    Wrong("no threads", f"{GUIDE}, compute capabilities", "out[t] = 1;", "a block of 0 x 1 x 1 threads", 0),
    Wrong("too deep a block", f"{GUIDE}, compute capabilities", "out[t] = 1;", "at most 64 in z", (1, 1, 65)),
    Wrong(
        "too high a grid",
        f"{GUIDE}, compute capabilities",
        "out[t] = 1;",
        "a grid of 1 x 65536 x 1 blocks",
        1,
        0,
        (1, 65536, 1),
    ),
    Wrong(
        "too much dynamic shared memory",
        f"{GUIDE}, compute capabilities",
        "extern __shared__ int s[]; s[t] = t;",
        "49153 bytes of shared memory",
        32,
        49153,
    ),
    Wrong(
        "a misaligned address of a C cast",
        f"{GUIDE}, size and alignment requirement",
        "*(int *)((char *)out + 2) = t;",
        r"a misaligned address .* \(at wrong.cu:5\)",
    ),
    Wrong(
        "a misaligned member",
        f"{GUIDE}, size and alignment requirement",
        "struct __attribute__((packed)) odd { char c; int i; } o[2]; int *volatile p = &o[t % 2].i; *p = t;",
        r"a misaligned address .* \(at wrong.cu:5\)",
    ),
    Wrong(
        "a misaligned address",
        f"{GUIDE}, size and alignment requirement",
        "*reinterpret_cast<int *>(reinterpret_cast<char *>(out) + 2) = t;",
        r"a misaligned address .* \(at wrong.cu:5\)",
    ),
    Wrong(
        "division by zero",
        "x86-64: a GPU goes on with a wrong number",
        "out[t] = 7 / (out[t] - 1);",
        "an integer was divided by zero",
    ),
    Wrong(
        "too many local variables",
        f"{GUIDE}, local memory of 512 KB a thread",
        "volatile char large[600000]; for (int i = 599999; i >= 0; i -= 64) large[i] = t;",
        "the stack of a thread is full",
    ),
]


BRANCHES = """#include <omp.h>
int main(void) {
    int a[64] = {0};
    #pragma omp target parallel num_threads(64) map(a)
    if (omp_get_thread_num() % 2) {
        #pragma omp barrier
        a[1] = 1;
    } else {
        a[0] = 1;
        #pragma omp barrier
    }
    return 0;
}
"""


def test_barriers_in_two_branches_of_a_program_are_told_by_its_lines(tmp_path: Path) -> None:
    """OpenMP, barrier: the binding threads encounter the same barrier regions.  On a GPU their warps would not part."""
    (tmp_path / "branches.c").write_text(BRANCHES)
    done = ompls("run", "--device", "cudasim", "branches.c", cwd=tmp_path)
    assert done.returncode == 125
    assert "thread 1 in line 6, thread 0 in line 10 (at branches.c:6)" in done.stderr


def test_a_misaligned_pointer_from_the_host(inline: Inline) -> None:
    """CUDA C++ Programming Guide, size and alignment requirement: also where the kernel itself converts no pointer."""
    device = inline('extern "C" __global__ void k(double *p, char *q) { p[threadIdx.x] = q[0]; }\n')
    data = device.alloc(256)
    device.launch("k", 1, 1, data + 8, data + 1)
    with pytest.raises(sim.SimError, match=f"parameter 0 of the kernel points to {data + 4:#x}, a misaligned address"):
        device.launch("k", 1, 1, data + 4, data)


def kernel(number: int, case: Wrong) -> str:
    """Its body stands on line 5."""
    return (
        f'#line 2\nextern "C" __global__ void wrong{number}(int *out)\n{{\n'
        f"    const int t = threadIdx.x;\n    {case.body}\n}}\n"
    )


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of these kernels in one file: g++ is started once."""
    path = tmp_path_factory.mktemp("wrong") / "wrong.cu"
    path.write_text('#include "ompls_device.cuh"\n' + "".join(kernel(*case) for case in enumerate(WRONG)))
    return path


@pytest.mark.parametrize("number", range(len(WRONG)), ids=[case.name.replace(" ", "-") for case in WRONG])
def test_a_kernel_that_is_wrong_on_a_gpu_is_rejected(
    opened: Callable[..., sim.Device], wrong: Path, number: int
) -> None:
    device, case = opened(wrong), WRONG[number]
    out = device.array(c_int, [1] * 1024)
    with pytest.raises(sim.SimError) as error:
        device.launch(f"wrong{number}", case.grid, case.block, out, shared=case.shared)
    assert re.search(case.says, error.value.reason), error.value.reason
    assert error.value.hint


def test_static_and_dynamic_shared_memory_count_together(inline: Inline) -> None:
    """CUDA C++ Programming Guide, compute capabilities.  What is static here is that of the whole kernel file."""
    device = inline(
        'extern "C" __global__ void k(int *out)\n{\n    extern __shared__ int s[];\n    __shared__ int fixed[10000];\n'
        "    const int t = threadIdx.x;\n    fixed[t] = s[t] = t;\n    out[t] = fixed[1];\n}\n"
    )
    with pytest.raises(sim.SimError, match=r"50000 bytes of shared memory \(40000 of them static\)"):
        device.launch("k", 1, 32, device.array(c_int, [1] * 32), shared=10000)


def test_too_much_static_shared_memory_does_not_build(inline: Inline) -> None:
    with pytest.raises(BuildFailed) as error:
        inline('extern "C" __global__ void large(int *p) { __shared__ int s[13000]; s[*p] = 1; *p = s[1]; }\n')
    assert "52000 bytes of shared memory, a block has at most 49152" in error.value.output


def test_shared_variables_have_no_initializers(inline: Inline) -> None:
    """CUDA C++ Programming Guide, "__shared__": they cannot have an initialization as part of their declaration."""
    with pytest.raises(BuildFailed) as error:
        inline('extern "C" __global__ void k(int *p) { __shared__ int s = 3; s += *p; *p = s; }\n')
    assert "a shared variable has an initializer" in error.value.output


def test_the_heap_of_kernels_is_as_small_as_a_gpus(inline: Inline, monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA C++ Programming Guide, "Dynamic Global Memory Allocation": 8 MB, then malloc() is null."""
    text = (
        'extern "C" __global__ void k(int *out)\n{\n'
        "    void *all[64];\n    for (int round = 0; round < 2; ++round) {\n        int n = 0;\n"
        "        while (n < 64 && (all[n] = malloc(1000000)) != nullptr) ++n;\n        out[round] = n;\n"
        "        while (n > 0) free(all[--n]);\n    }\n    free(nullptr);\n    out[2] = malloc(~0ul) == nullptr;\n}\n"
    )
    for asked, rounds in ((None, 8), ("20", 20)):
        if asked:
            monkeypatch.setenv("OMPLS_DEVICE_HEAP", asked)
        device = inline(text)
        out = device.array(c_int, [-1] * 3)
        device.launch("k", 1, 1, out)
        assert device.read(out, c_int, 3) == [rounds, rounds, 1]


def test_errors_of_the_compiler_name_the_users_line(inline: Inline) -> None:
    with pytest.raises(BuildFailed) as error:
        inline('#line 7 "user.c"\nextern "C" __global__ void k(int *p) { *p = undeclared; }\n')
    assert "user.c:7:" in error.value.output


def test_a_launch_must_fit_the_kernels_parameters(opened: Open) -> None:
    device = opened("saxpy.cu")
    with pytest.raises(sim.SimError, match="the kernel has 4 parameters, the launch 1"):
        device.launch("saxpy", 1, 1, c_int(1))
    with pytest.raises(sim.SimError, match="parameter 0 of the kernel has 4 bytes, of the launch 8"):
        device.launch("saxpy", 1, 1, c_long(1), 0, 0, c_int(0))
    with pytest.raises(sim.SimError, match="kernel nothing is not in the image"):
        device.launch("nothing", 1, 1)
    device.launch("saxpy", 1, 1, ctypes.c_float(1), 0, 0, c_int(0))  # none of these ended the device


def test_parameters_are_limited_to_4_kib(inline: Inline) -> None:
    """CUDA C++ Programming Guide, "__global__ function parameters": 4 KB before compute capability 7.0."""
    device = inline(
        "struct large { char c[4092]; };\n"
        'extern "C" __global__ void k(large v, int *p, int *q) { *p = v.c[0]; *q = 1; }\n'
    )
    with pytest.raises(sim.SimError, match="more than 4096 bytes of parameters"):
        device.launch("k", 1, 1, (ctypes.c_char * 4092)(), 0, 0)
