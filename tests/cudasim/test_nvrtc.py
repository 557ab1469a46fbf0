"""The device library under NVIDIA's compiler, for every architecture of interest, with no GPU present."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sim
from thinned import thinned

from ompls.devices.cuda.module import nvrtc

ARCHITECTURES = ("sm_53", "sm_70", "sm_87", "sm_90")  # Jetson Nano, Volta, Jetson Orin, Hopper
LIBRARY_KERNELS = ("saxpy.cu", "generic.cu", "loops.cu", "reduce.cu", "atomics.cu", "warps.cu")

pytestmark = pytest.mark.skipif(nvrtc.available() is None, reason="no libnvrtc: pip install ompls[cuda-preview]")


@pytest.mark.parametrize(
    ("name", "arch"), thinned([(name, arch) for arch in ARCHITECTURES for name in LIBRARY_KERNELS], 11, of_rest=5)
)
def test_the_library_compiles(name: str, arch: str, gpu_code: Callable[..., nvrtc.Compiled]) -> None:
    text = (sim.KERNELS / name).read_text()
    if name == "warps.cu":  # __match_any_sync, and lanes that may wait for each other anywhere, came with sm_70
        result = nvrtc.compile(text, "sm_75" if arch == "sm_53" else arch, name=name)
        assert result.ok, result.log
    else:
        result = gpu_code(text, arch, name)
    assert result.code[:4] == b"\x7fELF"
    assert [m.text for m in result.messages if m.severity == "warning"] == []
    assert all(r.spill_stores == r.spill_loads == 0 for r in nvrtc.resources(result).values())


def test_barriers_of_lanes_are_chosen_by_architecture() -> None:
    text = (sim.KERNELS / "generic.cu").read_text()
    old, new = (nvrtc.compile(text, a, kind="ptx").code.decode() for a in ("sm_53", "sm_70"))
    assert "bar.sync" in old
    assert "barrier.sync" not in old.replace("barrier.sync.aligned", "")
    assert "barrier.sync \t" in new or "barrier.sync " in new


def test_thread_ids_of_an_spmd_kernel_cost_no_memory() -> None:
    compiled = nvrtc.compile((sim.KERNELS / "saxpy.cu").read_text(), "sm_87")
    found = nvrtc.resources(compiled)
    assert set(found) == {"saxpy", "saxpy_direct"}
    assert found["saxpy"].shared == 0
    assert 0 < found["saxpy"].registers <= 24


def test_resources_of_a_generic_kernel() -> None:
    found = nvrtc.resources(nvrtc.compile((sim.KERNELS / "generic.cu").read_text(), "sm_53"))
    assert found["counts"].shared >= 8192
    assert found["stack"].stack >= 6000  # values[1500]
    assert found["counts"].registers > 0


def test_atomic_operations_on_a_threads_own_variable_are_plain_accesses() -> None:
    """There is no atomic instruction for local memory: NVIDIA's compilers would make a trap of it."""
    text = (
        '#include "ompls_device.cuh"\nextern "C" __global__ void k(int *p) {\n'
        "    int own = 1; char small[2] = {}; double wide = 0.5; int lock = 0;\n"
        "    ompls_atomic<ompls_add>(&own, *p); ompls_atomic<ompls_sub>(&small[1], char(3));\n"
        "    ompls_atomic<ompls_mul>(&wide, 3.0); ompls_atomic_exchange(&own, own + 1);\n"
        "    omp_set_lock(&lock); omp_unset_lock(&lock);\n"
        "    ompls_critical(&lock, [&] { ++own; }); *p = own + small[1] + int(wide); }\n"
    )
    for arch in ("sm_53", "sm_90"):
        made = nvrtc.compile(text, arch, kind="ptx").code.decode()
        assert not re.search(r"\b(?:trap|atom)\b", made), made


@pytest.mark.parametrize("arch", ["sm_53", "sm_90"])
def test_what_the_hardware_does_atomically_is_one_instruction(arch: str) -> None:
    integers = ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long")
    floats = ("float",) if arch == "sm_53" else ("float", "double")  # sums of double came with sm_60
    calls = [f"ompls_atomic<ompls_{op}>(({t} *)p, v)" for op in ("add", "sub") for t in (*integers, *floats)]
    calls += [f"ompls_atomic<ompls_{op}>(({t} *)p, v)" for op in ("and", "or", "xor", "min", "max") for t in integers]
    calls += [f"ompls_atomic_exchange(({t} *)p, v)" for t in (*integers, "float", "double")]
    body = "".join(f'extern "C" __global__ void k{k}(int v) {{ {call}; }}\n' for k, call in enumerate(calls))
    text = f'#include "ompls_device.cuh"\n__device__ long long place[1];\n#define p place\n{body}'
    made = nvrtc.compile(text, arch, kind="ptx").code.decode()
    kernels = dict(zip(calls, made.split(".visible .entry")[1:], strict=True))
    slow = [c for c, ptx in kernels.items() if len(re.findall(r"\b(?:atom|red)\.", ptx)) != 1 or "bra" in ptx]
    assert slow == []


def test_a_large_value_is_reduced_by_shuffles() -> None:
    """Threads that wait for each other in turn would need two barriers each."""
    text = (
        '#include "ompls_device.cuh"\nstruct best { double value; long at; };\n'
        "struct better {\n"
        "    template <typename T> static __device__ T apply(T a, T b) { return b.value > a.value ? b : a; }\n};\n"
        'extern "C" __global__ void k(best *to, const best *from) {\n'
        "    ompls_spmd_begin(); ompls_reduce<better>(to, from[threadIdx.x]); }\n"
    )
    made = nvrtc.compile(text, "sm_53", kind="ptx").code.decode()
    whole, other = 5 * 4, 4  # a warp's halves, of four words; in a loop where a block's last warp lacks lanes
    assert len(re.findall(r"\bshfl\.", made)) == whole + other
    assert len(re.findall(r"\bbar\.sync", made)) == 2


def test_teams_leave_large_values_for_the_last_of_them() -> None:
    """One atomic operation a team, no lock, and whole words."""
    text = (
        '#include "ompls_device.cuh"\nstruct best { double value; long at; };\n'
        "struct better {\n"
        "    template <typename T> static __device__ T apply(T a, T b) { return b.value > a.value ? b : a; }\n};\n"
        'extern "C" __global__ void k(best *to, const best *from, void *partials) {\n'
        "    ompls_spmd_begin(); ompls_reduce_teams<better>(to, from[threadIdx.x], partials); }\n"
    )
    made = nvrtc.compile(text, "sm_53", kind="ptx").code.decode()
    assert re.findall(r"\b(?:atom|red)\.\S+", made) == ["atom.global.inc.u32"]
    assert len(re.findall(r"\bbar\.sync", made)) == 2
    assert not re.search(r"\b(?:ld|st)\.global\.[us]8", made)


def test_messages_carry_the_users_line() -> None:
    text = '#line 12 "user.c"\nextern "C" __global__ void k(int *p) { *p = missing; }\n'
    result = nvrtc.compile(text, "sm_87")
    assert (result.ok, result.code) == (False, b"")
    assert [(m.file, m.line, m.severity) for m in result.messages] == [("user.c", 12, "error")]
    assert 'identifier "missing" is undefined' in result.messages[0].text


def test_headers_and_ptx() -> None:
    result = nvrtc.compile(
        '#include "value.h"\nextern "C" __global__ void k(int *p) { *p = VALUE; }\n',
        "sm_75",
        headers={"value.h": "#define VALUE 4711\n"},
        kind="ptx",
    )
    assert result.ok, result.log
    assert b"4711" in result.code
    assert b".target sm_75" in result.code


@pytest.mark.parametrize(
    ("define", "call", "says"),
    [
        ("", "if (ompls_target_begin()) ompls_target_end();", "defines OMPLS_GENERIC"),
        ("", "ompls_parallel(nullptr, p, 1);", "defines OMPLS_NESTED"),
        (
            "",
            "struct { char c[16]; } s; ompls_atomic_write(p, 1); ompls_atomic_update(&s, [](auto v) { return v; });",
            "no atomic of this size",
        ),
    ],
)
def test_wrong_use_of_the_library_does_not_compile(define: str, call: str, says: str) -> None:
    text = f'{define}#include "ompls_device.cuh"\nextern "C" __global__ void k(int *p) {{ {call} }}\n'
    result = nvrtc.compile(text, "sm_53")
    assert not result.ok
    assert says in result.log


def test_an_unknown_architecture_is_a_result_not_a_crash() -> None:
    result = nvrtc.compile('extern "C" __global__ void k() {}', "sm_1")
    assert not result.ok
    assert "sm_1" in result.log or "gpu-architecture" in result.log


def test_a_missing_library_names_the_next_step(tmp_path: Path) -> None:
    """In a process of its own: a library that was found once is kept."""
    script = (
        "from ompls.devices.cuda.module import nvrtc\n"
        "print(nvrtc.available())\n"
        "try: nvrtc.compile('')\n"
        "except nvrtc.NvrtcUnavailable as error: print(error)\n"
    )
    environment = {"OMPLS_NVRTC": str(tmp_path / "libnvrtc.so"), "PYTHONPATH": str(sim.RUNTIME.parent.parent)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == "None"
    assert second.startswith("nvrtc is not available: no libnvrtc among ")
    assert "pip install 'ompls[cuda-preview]'" in second
