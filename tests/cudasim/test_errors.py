"""What goes wrong: kernels that a GPU would not run, faults, a device that dies; each with its message, none hangs."""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from ctypes import c_int, c_long
from dataclasses import dataclass
from pathlib import Path

import pytest
import sim

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
        "too much shared memory together",
        f"{GUIDE}, compute capabilities",
        "extern __shared__ int s[]; __shared__ int fixed[10000]; fixed[t] = s[t] = t; out[t] = fixed[1];",
        r"50000 bytes of shared memory \(40000 of them static\)",
        32,
        10000,
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
    command = [sys.executable, "-m", "ompls", "run", "--device", "cudasim", "branches.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 125
    assert "thread 1 in line 6, thread 0 in line 10 (at branches.c:6)" in done.stderr


def test_a_misaligned_pointer_from_the_host(inline: Inline) -> None:
    """CUDA C++ Programming Guide, size and alignment requirement: also where the kernel itself converts no pointer."""
    device = inline('extern "C" __global__ void k(double *p, char *q) { p[threadIdx.x] = q[0]; }\n')
    data = device.alloc(256)
    device.launch("k", 1, 1, data + 8, data + 1)
    with pytest.raises(sim.SimError, match=f"parameter 0 of the kernel points to {data + 4:#x}, a misaligned address"):
        device.launch("k", 1, 1, data + 4, data)


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name.replace(" ", "-"))
def test_a_kernel_that_is_wrong_on_a_gpu_is_rejected(inline: Callable[..., sim.Device], case: Wrong) -> None:
    device = inline(
        '#include "ompls_device.cuh"\n'
        'extern "C" __global__ void wrong(int *out)\n{\n'
        f"    const int t = threadIdx.x;\n    {case.body}\n}}\n",
        "wrong.cu",
    )
    out = device.array(c_int, [1] * 1024)
    with pytest.raises(sim.SimError) as error:
        device.launch("wrong", case.grid, case.block, out, shared=case.shared)
    assert re.search(case.says, error.value.reason), error.value.reason
    assert error.value.hint


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


# --- faults -------------------------------------------------------------------------------------------------------

TOUCH = """
#line 40 "user.c"
extern "C" __global__ void reads(int *p, int *out) {
    int i = threadIdx.x;
    out[i] = p[i];
}
extern "C" __global__ void writes(int *p) {
    p[threadIdx.x] = 1;
}
"""


@pytest.mark.parametrize(
    "where", ["heap", "large", "stack", "static", "module", "arena mapping", "control page", "null", "odd"]
)
def test_host_memory_faults(inline: Inline, where: str) -> None:
    """Wherever the host keeps something, a kernel cannot touch it."""
    device = inline(TOUCH)
    small, large = ctypes.create_string_buffer(64), ctypes.create_string_buffer(1 << 24)
    maps = Path("/proc/self/maps").read_text()
    found = {
        key: re.search(rf"^(\w+)-.*{key}", maps, re.M)
        for key in ("\\[stack\\]", "libc", "cudasim-arena", "cudasim-control")
    }
    starts = {key: int(match[1], 16) for key, match in found.items() if match}
    address = {
        "heap": ctypes.addressof(small),
        "large": ctypes.addressof(large),
        "stack": starts["\\[stack\\]"] + 65536,
        "static": id(int),
        "module": starts["libc"],
        "arena mapping": starts["cudasim-arena"],
        "control page": starts["cudasim-control"],
        "null": 0,
        "odd": 0x123456780,
    }[where]
    with pytest.raises(sim.SimError) as error:
        device.launch("writes", 1, 1, address)
    assert (error.value.fault, error.value.address, error.value.line) == (2, address, 45)
    assert error.value.fatal
    assert f"wrote address {address:#x}, which is not the device's (at user.c:45)" in error.value.reason
    with pytest.raises(sim.SimError, match="the device process has ended"):
        device.launch("writes", 1, 1, address)


def test_a_read_is_told_from_a_write(inline: Inline) -> None:
    device = inline(TOUCH)
    out = device.array(c_int, [0])
    with pytest.raises(sim.SimError) as error:
        device.launch("reads", 1, 1, 0x7F0000001000, out)
    assert (error.value.fault, error.value.address, error.value.line) == (1, 0x7F0000001000, 42)


def test_steps_beyond_an_allocation_fault(inline: Inline) -> None:
    device = inline(TOUCH)
    data, end = device.array(c_int, [0] * 64), device.alloc(256)
    device.launch("writes", 1, 64, data)
    assert device.read(data, c_int, 64) == [1] * 64
    with pytest.raises(sim.SimError, match=f"wrote device address {data + 256:#x}, which is not allocated"):
        device.launch("writes", 1, 65, data)
    assert end


def test_freed_memory_faults(inline: Inline) -> None:
    device = inline(TOUCH)
    kept, freed = device.array(c_int, [0]), device.array(c_int, [5])
    device.launch("reads", 1, 1, freed, kept)
    device.free(freed)
    with pytest.raises(sim.SimError, match=f"read device address {freed:#x}, which is not allocated"):
        device.launch("reads", 1, 1, freed, kept)


def test_memory_of_another_device_faults(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "touch.cu"
    path.write_text(TOUCH)
    first, second = opened(path), opened(path, index=1)
    there, here = second.array(c_int, [3]), first.array(c_int, [0])
    assert second.read(there, c_int, 1) == [3]
    with pytest.raises(sim.SimError, match=f"read address {there:#x}"):
        first.launch("reads", 1, 1, there, here)
    second.launch("writes", 1, 1, there)  # the other one lives
    assert second.read(there, c_int, 1) == [1]


def test_nothing_of_the_process_lies_elsewhere(opened: Open) -> None:
    """Every mapping of the device process is in a range that the host keeps free."""
    device = opened("saxpy.cu")
    device.launch("saxpy", 64, 1, ctypes.c_float(1), 0, 0, c_int(0))  # helpers have started
    ranges = re.findall(r"^(\w+)-(\w+) .*?(\S*)$", Path(f"/proc/{device_of(os.getpid())}/maps").read_text(), re.M)
    outside = [
        name or start
        for start, end, name in ranges
        if not (0x60000000 <= int(start, 16) < 0xA8000000 or 0x2A0000000000 <= int(start, 16) < 0x3A2000000000)
    ]
    assert [n for n in outside if n not in {"[vvar]", "[vdso]", "[vvar_vclock]", "[vsyscall]"}] == []


def test_the_hosts_stack_faults_without_address_randomisation(tmp_path: Path, module: sim.Module) -> None:
    """As under gdb: both processes are laid out alike then, and the kernel's own stack would be where the host's is."""
    (tmp_path / "touch.cu").write_text(TOUCH)
    script = (
        "import sys, pathlib, ctypes, re; sys.path.insert(0, sys.argv[1]); import sim\n"
        "p = pathlib.Path(sys.argv[2]); d = sim.Device(sim.load_module(p), 0, sim.build(p / 'touch.cu'))\n"
        "end = int(re.search(r'-(\\w+) .*\\[stack\\]', open('/proc/self/maps').read())[1], 16)\n"
        "for above in (16, 4096, 65536):\n"
        "    try: d.launch('writes', 1, 1, end - above); print('written')\n"
        "    except sim.SimError as error: print(error.fault, error.address == end - above)\n"
        "    d.close(); d = sim.Device(sim.load_module(p), 0, sim.build(p / 'touch.cu'))\n"
        "d.close()\n"
    )
    command = ["setarch", "-R", sys.executable, "-c", script, str(Path(__file__).parent), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split("\n") == ["2 True"] * 3 + [""], done.stdout + done.stderr


# --- memory -------------------------------------------------------------------------------------------------------


def test_out_of_memory_says_how_much(module: sim.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_CUDASIM_MEMORY", "8")
    with sim.Device(module) as device:
        kept = device.alloc(5 << 20)
        with pytest.raises(
            sim.SimError, match=rf"out of device memory: {6 << 20} bytes asked for, \d+ of {8 << 20} in use"
        ):
            device.alloc(6 << 20)
        device.free(kept)
        assert device.alloc(6 << 20)
        with pytest.raises(sim.SimError, match="no allocation begins there"):
            device.free(kept + 8)


def test_allocations_are_apart_and_come_back(module: sim.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    import random

    monkeypatch.setenv("OMPLS_CUDASIM_MEMORY", "16")
    rng = random.Random(5)
    with sim.Device(module) as device:
        live: dict[int, int] = {}
        for _ in range(3000):
            if live and rng.random() < 0.5:
                address = rng.choice(list(live))
                del live[address]
                device.free(address)
            elif sum(live.values()) < 8 << 20:
                size = rng.choice([0, 1, 100, 256, 4096, 5000, 100000])
                live[device.alloc(size)] = size
        spans = sorted((a, a + s) for a, s in live.items())
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
        assert all(a % 256 == 0 for a in live)
        for address in live:
            device.free(address)
        assert device.alloc(15 << 20)  # everything has been joined again


def test_many_allocations_before_and_after_the_process_starts(module: sim.Module, opened: Open) -> None:
    device = sim.Device(module)
    early = [device.array(c_int, [i]) for i in range(600)]
    image = sim.build(sim.KERNELS / "saxpy.cu", sim.KERNELS / "loops.cu")
    device.image = image
    device.call("load", device.handle, image, sim.u64(len(image)), ctypes.byref(device.loaded))
    late = [device.array(c_int, [i]) for i in range(600)]
    for address in (early[0], early[599], late[0], late[599]):
        device.launch("loop", 1, 1, address, address, c_int(1), c_int(0), c_int(1))
        assert device.read(address, c_int, 1) == [1]
    device.close()


# --- the process --------------------------------------------------------------------------------------------------


def pages_of(process: int | str) -> set[str]:
    """The inodes of the control pages that a process has mapped."""
    try:
        maps = Path(f"/proc/{process}/maps").read_text().splitlines()
    except OSError:
        return set()
    return {line.split()[4] for line in maps if "ompls-cudasim-control" in line}


def device_of(program: int) -> int:
    """The device process of a program: not its child, but it shares a page with it."""
    shared = pages_of(program)
    for path in Path("/proc").glob("[0-9]*"):
        if path.name != str(program) and pages_of(path.name) & shared:
            return int(path.name)
    raise LookupError(f"no device process of {program}")


def gone(pid: int, seconds: float = 5) -> bool:
    """Whether the process has ended (a zombie has) within that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if "State:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_closing_leaves_no_process(opened: Open, module: sim.Module) -> None:
    with sim.Device(module, 0, sim.build(sim.KERNELS / "saxpy.cu")):
        process = device_of(os.getpid())
        parent = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        assert parent != os.getpid()  # who waits for all children does not wait for the device
    assert gone(process, 0.05)  # at once


ENDLESS = 'extern "C" __global__ void endless(volatile int *p) { while (*p == 0) { } }\n'


def test_a_killed_device_is_an_error(inline: Inline) -> None:
    device = inline(ENDLESS)
    flag = device.array(c_int, [0])
    threading.Timer(0.2, lambda: os.kill(device_of(os.getpid()), signal.SIGKILL)).start()
    with pytest.raises(sim.SimError, match="the device process was killed: by a signal, or") as error:
        device.launch("endless", 1, 1, flag)
    assert error.value.fatal
    device.free(flag)  # what the host frees on its way out is no error
    assert device.read(device.array(c_int, [4]), c_int, 1) == [4]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_device_ends_with_its_program(tmp_path: Path, how: signal.Signals, module: sim.Module) -> None:
    """Also in the middle of a kernel, and when a thread that is no more opened the device."""
    (tmp_path / "endless.cu").write_text(ENDLESS)
    script = (
        "import sys, pathlib, threading, ctypes; sys.path.insert(0, sys.argv[1]); import sim\n"
        "p = pathlib.Path(sys.argv[2]); made = []\n"
        "image, module = sim.build(p / 'endless.cu'), sim.load_module(p)\n"
        "t = threading.Thread(target=lambda: made.append(sim.Device(module, 0, image)))\n"
        "t.start(); t.join(); d = made[0]; flag = d.array(ctypes.c_int, [0]); print('ready', flush=True)\n"
        "d.launch('endless', 1, 1, flag)\n"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", script, str(Path(__file__).parent), str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    device = device_of(program.pid)
    time.sleep(0.1)
    assert not gone(device, 0.05)
    program.send_signal(how)
    program.wait()
    program.stdout.close()
    assert gone(device)


def test_the_device_does_not_hold_the_programs_files(opened: Open) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    device = opened("saxpy.cu")
    os.close(writer)
    assert os.read(reader, 1) == b""  # nobody else has the other end
    os.close(reader)
    assert device.loaded


def test_several_devices_and_threads_at_once(opened: Open) -> None:
    devices = [opened("generic.cu", index=i) for i in range(3)]
    failures: list[BaseException] = []

    def work(device: sim.Device) -> None:
        try:
            for n in range(20):
                out = device.array(c_long, [0])
                device.launch("generic_sum", 2, 128, out, c_int(n), c_int(96))
                assert device.read(out, c_long, 1) == [n * (n - 1)]
                device.free(out)
        except BaseException as error:  # noqa: BLE001 -- handed to the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(device,)) for device in devices for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_too_many_devices_and_wrong_images(module: sim.Module) -> None:
    with sim.Device(module) as device:
        with pytest.raises(sim.SimError, match="the image is not an executable of this machine"):
            device.call("load", device.handle, b"#!/bin/sh\n" * 20, sim.u64(200), ctypes.byref(device.loaded))
        with pytest.raises(sim.SimError, match="is not an address of this device"):
            device.put(0x1234, c_int(1))
