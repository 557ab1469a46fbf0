"""What `OMPLS_CUDASIM_ARCH` chooses: limits of a compute capability, and how the lanes of a warp arrive at barriers."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from ctypes import c_int
from pathlib import Path

import pytest
import sim
from thinned import thinned

from ompls.devices.cudasim import module as cudasim
from ompls.runtime.errors import BuildFailed, DeviceUnavailable

HERE = Path(__file__).resolve().parent
Inline = Callable[..., sim.Device]


@pytest.fixture
def on(inline: Inline, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], sim.Device]:
    """A device of the architecture with the kernel `void k(int *out)`."""

    def build(architecture: str, body: str) -> sim.Device:
        monkeypatch.setenv("OMPLS_CUDASIM_ARCH", architecture)
        return inline(f'extern "C" __global__ void k(int *out)\n{{ const int t = threadIdx.x;\n{body}\n}}\n', "k.cu")

    return build


def test_without_a_name_it_is_the_strictest() -> None:
    """Shared memory and parameters of the smallest, lanes that nobody keeps together."""
    everything = [cudasim.architecture(f"sm_{number}") for number in cudasim.KNOWN]
    strictest = cudasim.architecture()
    assert strictest.shared == min(a.shared for a in everything) == 48 << 10
    assert strictest.parameters == min(a.parameters for a in everything) == 4096
    assert strictest.lanes >= 70


def test_an_unknown_name_is_an_error_with_the_known_ones() -> None:
    with pytest.raises(
        DeviceUnavailable, match=r"no architecture 'sm_1'; set OMPLS_CUDASIM_ARCH to one of sm_50, .* sm_90"
    ):
        cudasim.architecture("sm_1")


@pytest.mark.parametrize(
    ("name", "kibibytes"), thinned([("sm_87", 163), ("sm_75", 64), ("sm_53", 48), ("sm_90", 227)], 4)
)
def test_shared_memory_that_a_launch_may_ask_for(on: Callable[..., sim.Device], name: str, kibibytes: int) -> None:
    """CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"."""
    last = kibibytes * 256 - 1
    device = on(name, f"extern __shared__ int s[]; s[{last} - t] = t; __syncthreads(); out[t] = s[{last} - 63 + t];")
    out = device.array(c_int, [0] * 64)
    device.launch("k", 1, 64, out, shared=kibibytes << 10)
    assert device.read(out, c_int, 64) == list(range(63, -1, -1))
    with pytest.raises(sim.SimError, match=f"{(kibibytes << 10) + 1} bytes of shared memory") as error:
        device.launch("k", 1, 64, out, shared=(kibibytes << 10) + 1)
    assert error.value.hint == f"see the limits of compute capability {name[3]}.{name[4]} (OMPLS_CUDASIM_ARCH)"


def test_the_shared_memory_of_all_kernels_has_room_beside_a_threads_stack(on: Callable[..., sim.Device]) -> None:
    """It is a thread's own: with 30 kernels that have a main thread, or like this, threads could not be started."""
    device = on("sm_90", "__shared__ int s[12000]; s[t] = t; __syncthreads(); out[t + 64 * blockIdx.x] = s[63 - t];")
    out = device.array(c_int, [0] * 64 * 4)
    device.launch("k", 4, 64, out)
    assert device.read(out, c_int, 64 * 4) == list(range(63, -1, -1)) * 4


@pytest.mark.thorough
def test_parameters_of_more_than_4_kib_from_sm_70(inline: Inline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_CUDASIM_ARCH", "sm_70")
    device = inline(
        "struct large { char c[32000]; };\n"
        'extern "C" __global__ void k(large v, int *p) { *p = v.c[31999]; }\n'
        'extern "C" __global__ void more(large v, large w) {}\n'
    )
    out = device.array(c_int, [0])
    device.launch("k", 1, 1, (ctypes.c_char * 32000)(*[b"\7"] * 32000), out)
    assert device.read(out, c_int, 1) == [7]
    with pytest.raises(sim.SimError, match="more than 32764 bytes of parameters"):
        device.launch("more", 1, 1, (ctypes.c_char * 32000)(), (ctypes.c_char * 32000)())


HALVES = "if (t % 32 < 16) ompls_sim_barrier(1, 64); out[t] = 1;"


@pytest.mark.thorough
def test_before_sm_70_a_warp_arrives_as_a_whole(on: Callable[..., sim.Device]) -> None:
    """PTX ISA, "bar, barrier": the arrival count goes up by the warp size, not by the number of active lanes."""
    device = on("sm_53", HALVES)
    out = device.array(c_int, [0] * 64)
    device.launch("k", 1, 64, out)
    assert device.read(out, c_int, 64) == [1] * 64
    with pytest.raises(sim.SimError, match=r"deadlock in block .*: 32 of 64 threads wait at barrier 1, 32 left"):
        (device := on("sm_70", HALVES)).launch("k", 1, 64, device.array(c_int, [0] * 64))


def test_before_sm_70_lanes_wait_for_each_other_where_they_reconverge(on: Callable[..., sim.Device]) -> None:
    """Half of each warp goes through a barrier twice before the other half may go on to the next one."""
    body = (
        "__shared__ int first[64], second[64]; first[t] = second[t] = 0; __syncthreads();\n"
        "if (t % 32 < 16) {\n"
        "    first[t] = t; ompls_sim_barrier(1, 64); second[t] = first[63 - t - 16]; ompls_sim_barrier(1, 64);\n"
        "}\n"
        "ompls_sim_reconverge(); ompls_sim_barrier(2, 64); out[t] = second[t ^ 16];"
    )
    device = on("sm_53", body)
    out = device.array(c_int, [-1] * 64)
    device.launch("k", 1, 64, out)
    assert device.read(out, c_int, 64) == [0 if t % 32 < 16 else 63 - t for t in range(64)]


@pytest.mark.parametrize("name", ["sm_53", "sm_70"])
def test_lanes_of_a_warp_at_different_barriers(on: Callable[..., sim.Device], name: str) -> None:
    """PTX ISA, "bar, barrier": in conditional code all threads of the warp decide alike."""
    device = on(name, "if (t % 2) ompls_sim_barrier(1, 64); else ompls_sim_barrier(2, 64); out[t] = 1;")
    with pytest.raises(
        sim.SimError, match="lanes of one warp are at different barriers: thread 1 at barrier 1, thread 0"
    ):
        device.launch("k", 1, 128, device.array(c_int, [0] * 128))


LATER = (
    "atomicAdd(reinterpret_cast<double *>(out), 1.0);",  # compute capability 6.0
    "out[t] = __match_any_sync(~0u, t);",  # 7.0
    "__nanosleep(10);",  # 7.0
    "atomicCAS(reinterpret_cast<unsigned short *>(out), 1, 2);",  # 7.0
)


@pytest.mark.parametrize("body", LATER)
def test_what_came_later_does_not_compile(on: Callable[..., sim.Device], body: str) -> None:
    """CUDA C++ Programming Guide, "Atomic Functions", "Warp Match Functions", "Nanosleep Function"."""
    with pytest.raises(BuildFailed):
        on("sm_53", body)


def test_what_came_later_compiles_later(on: Callable[..., sim.Device]) -> None:
    on("sm_70", "\n".join(LATER))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["sm_53", pytest.param("sm_90", marks=pytest.mark.exhaustive)])
def test_the_device_library_is_right_there(name: str, tmp_path: Path) -> None:
    """The scheme of master and workers differs before sm_70: lanes that have nothing to do stay away from barriers."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'inner'}"]
    done = subprocess.run(
        [*command, str(HERE / "test_device_lib.py")],
        env={**os.environ, "OMPLS_CUDASIM_ARCH": name, "OMPLS_TEST_AGAIN": "1"},
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parents[1],
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]
