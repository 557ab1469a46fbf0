"""Addresses that are not the device's fault, with the address and the line; memory that runs out, and comes back."""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Callable
from ctypes import c_int
from pathlib import Path

import pytest
import sim

Open = Callable[..., sim.Device]
Inline = Callable[[str], sim.Device]


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
    ranges = re.findall(r"^(\w+)-(\w+) .*?(\S*)$", Path(f"/proc/{sim.device_of(os.getpid())}/maps").read_text(), re.M)
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
    done = subprocess.run(command, env=sim.ENVIRONMENT, capture_output=True, text=True, check=False)
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


@pytest.mark.thorough
def test_large_memory_is_given_back_to_the_system(opened: Open) -> None:
    def resident() -> int:
        maps = Path("/proc/self/smaps").read_text().split("ompls-cudasim-arena")[1]
        return int(maps.split("Rss:")[1].split()[0])

    device = opened("saxpy.cu")
    before = resident()
    address = device.array(ctypes.c_char, [b"x"] * (20 << 20))
    assert resident() - before >= 20 << 10
    device.free(address)
    assert resident() == before


def test_many_allocations(opened: Open) -> None:
    device = opened("loops.cu")
    made = [device.array(c_int, [i]) for i in range(1200)]  # more than one command can tell the process of
    for address in (made[0], made[599], made[1199]):
        device.launch("loop", 1, 1, address, address, c_int(1), c_int(0), c_int(1))
        assert device.read(address, c_int, 1) == [1]


def test_an_image_comes_before_allocations(module: sim.Module) -> None:
    image = sim.build(sim.KERNELS / "saxpy.cu")
    with sim.Device(module) as device:
        device.alloc(1)
        with pytest.raises(sim.SimError, match="before anything is allocated"):
            device.call("load", device.handle, image, sim.u64(len(image)), ctypes.byref(device.loaded))
