"""The device process: it ends when it should and not before, alone or with others, and holds nothing of the program."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from ctypes import c_int, c_long
from pathlib import Path

import pytest
import sim
from waiting import until, worked

Open = Callable[..., sim.Device]
Inline = Callable[[str], sim.Device]


def test_closing_leaves_no_process(opened: Open, module: sim.Module) -> None:
    with sim.Device(module, 0, sim.build(sim.KERNELS / "saxpy.cu")):
        process = sim.device_of(os.getpid())
        parent = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        assert parent != os.getpid()  # who waits for all children does not wait for the device
    assert sim.gone(process, 0.05)  # at once


ENDLESS = 'extern "C" __global__ void endless(volatile int *p) { while (*p == 0) { } }\n'


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE])
def test_a_killed_device_is_an_error(inline: Inline, number: signal.Signals) -> None:
    device = inline(ENDLESS)
    flag = device.array(c_int, [0])
    threading.Timer(0.2, lambda: os.kill(sim.device_of(os.getpid()), number)).start()
    with pytest.raises(sim.SimError, match="the device process was killed: by a signal, or") as error:
        device.launch("endless", 1, 1, flag)
    assert error.value.fatal
    device.free(flag)  # what the host frees on its way out is no error
    assert device.read(device.array(c_int, [4]), c_int, 1) == [4]


def test_a_program_without_descriptors_may_wait_for_a_kernel(inline: Inline) -> None:
    device = inline(
        'extern "C" __global__ void slow(int *p) { for (volatile long i = 0; i < 2000000000; i++) { } *p = 7; }\n'
    )
    made = device.array(c_int, [0])
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            os.open("/dev/null", os.O_RDONLY)
        device.launch("slow", 1, 1, made)
        assert device.read(made, c_int, 1) == [7]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


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
        [sys.executable, "-c", script, str(Path(__file__).parent), str(tmp_path)],
        env=sim.ENVIRONMENT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    device = sim.device_of(program.pid)
    assert until(lambda: worked(device) > 5), "it is not in the kernel"
    program.send_signal(how)
    program.wait()
    program.stdout.close()
    assert sim.gone(device)


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
