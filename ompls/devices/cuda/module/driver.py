"""Which GPUs there are, asked of libcuda itself: when programs are built, whichever module they get (`chosen`)."""

from __future__ import annotations

import ctypes
import importlib
import os
import re
import warnings
from dataclasses import dataclass
from typing import Any, List, Mapping

from ompls.runtime.errors import DeviceUnavailable

LIBRARY = "libcuda.so.1"
NATIVE, PYCUDA = "native", "pycuda"
MAJOR, MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…


@dataclass(frozen=True)
class Gpu:
    """One GPU; its compute capability is MAJOR * 10 + MINOR."""

    name: str
    capability: int


def _libcuda() -> Any:
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise DeviceUnavailable(
            "cuda", "there is no NVIDIA driver ({})".format(error), "install the driver, or use the device `cudasim`"
        ) from error


def _call(library: Any, name: str, *arguments: Any) -> None:
    try:
        function = getattr(library, name)
    except AttributeError as error:
        why = "the NVIDIA driver has no {}".format(name)
        raise DeviceUnavailable("cuda", why, "install a driver of CUDA 10.2 or later") from error
    status = function(*arguments)
    if status != 0:
        text = ctypes.c_char_p()
        library.cuGetErrorString(status, ctypes.byref(text))
        words = os.fsdecode(text.value or b"unknown error")
        why = "the driver says: {} failed: {}".format(name, words)
        raise DeviceUnavailable("cuda", why, "see what nvidia-smi says")


def _gpu(library: Any, index: int) -> Gpu:
    device, name, number = ctypes.c_int(), ctypes.create_string_buffer(128), ctypes.c_int()
    _call(library, "cuDeviceGet", ctypes.byref(device), index)
    _call(library, "cuDeviceGetName", name, len(name), device)
    parts = []
    for attribute in (MAJOR, MINOR):
        _call(library, "cuDeviceGetAttribute", ctypes.byref(number), attribute, device)
        parts.append(number.value)
    return Gpu(os.fsdecode(name.value), parts[0] * 10 + parts[1])


def gpus() -> List[Gpu]:
    """At least one.  Raises DeviceUnavailable."""
    library, count = _libcuda(), ctypes.c_int()
    _call(library, "cuInit", 0)
    _call(library, "cuDeviceGetCount", ctypes.byref(count))
    if count.value == 0:
        raise DeviceUnavailable("cuda", "there is no GPU", "see what nvidia-smi and CUDA_VISIBLE_DEVICES say")
    return [_gpu(library, index) for index in range(count.value)]


# The GPUs of Tegra chips, as a board's device tree names the chip (Jetson: TK1, TX1 and Nano, TX2, Xavier, Orin, Thor).
_CHIPS = {"tegra124": 32, "tegra210": 53, "tegra186": 62, "tegra194": 72, "tegra234": 87, "tegra264": 110}
_SMI = re.compile(r"(.*), (\d+)\.(\d), ")  # name, compute capability, driver


def board_gpu(facts: Mapping[str, str]) -> Gpu:
    """What the facts of a board (runtime/boards/board.sh) say of its GPU.  Raises DeviceUnavailable."""
    if os.path.basename(facts.get("libcuda", "")) != LIBRARY:
        raise DeviceUnavailable("cuda", "the board has no NVIDIA driver", "install it there, then: ompls remote test")
    found = _SMI.match(facts.get("gpu", ""))
    if found is not None:
        return Gpu(found.group(1), int(found.group(2)) * 10 + int(found.group(3)))
    chip = facts.get("chip", "")
    if chip not in _CHIPS:
        why = "which GPU the board has is not known ({})".format(chip or "neither nvidia-smi nor a Tegra chip tells")
        raise DeviceUnavailable("cuda", why, "set OMPLS_CUDA_ARCH, to sm_53 for a Jetson Nano")
    return Gpu(facts.get("model") or chip, _CHIPS[chip])


def imported_pycuda() -> Any:
    """pycuda.driver, not initialised.  Raises DeviceUnavailable."""
    _libcuda()  # what it says without one is harder to read
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they say is in the exception, too
            return importlib.import_module("pycuda.driver")
    except ImportError as error:
        hint = "pip install 'ompls[cuda]' where nvcc is on PATH, or leave out OMPLS_CUDA"
        if "undefined symbol" in str(error):
            hint = "the driver is older than the CUDA that pycuda was built with: build it again with the driver's"
        raise DeviceUnavailable("cuda", "pycuda cannot be imported ({})".format(error), hint) from error


def chosen() -> str:
    """NATIVE or PYCUDA: what OMPLS_CUDA says, else pycuda where it can be imported.  Raises DeviceUnavailable."""
    asked = os.environ.get("OMPLS_CUDA", "")
    if asked not in ("", NATIVE, PYCUDA):
        why = "OMPLS_CUDA: '{}' is none of its modules".format(asked)
        raise DeviceUnavailable("cuda", why, "set it to {} or {}".format(NATIVE, PYCUDA))
    if asked:
        return asked
    try:
        imported_pycuda()
    except DeviceUnavailable:
        return NATIVE
    return PYCUDA
