"""The devices: one file each, found by listing this directory.

A file `NAME.py` here defines `DEVICE`, an object with the attributes and methods of `Device` below; its native half,
if it has one, is `NAME.c` beside it.  A device written in Python names a factory instead (`python_module`): it then
runs in the Python-hosted form only.  Nothing else of the runtime knows a device by name.  OMPLS_DEVICE_PATH names
further directories (separated by `:`) with such files.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Sequence, Tuple

from ..errors import DeviceUnavailable

if TYPE_CHECKING:
    from ..bundle import Kernel
    from ..toolchain import Toolchain

HERE = Path(__file__).resolve().parent
# The order in which `auto` chooses; a device that is not listed comes after these.
PREFERENCE = ("cuda", "cudasim", "host")


@dataclass(frozen=True)
class Availability:
    """Whether a device can be used on this machine; if not, the reason and the next step."""

    available: bool
    reason: str = ""
    hint: str = ""
    description: str = ""


@dataclass(frozen=True)
class ImageJob:
    """What a device gets to build its image from."""

    tools: Toolchain
    kernels: Sequence[Tuple[Kernel, Path]]  # by kernel name, with the file of the device's kernel class
    cflags: Sequence[str] = ()  # the user's -O, -g, -D, -I, -std
    ldflags: Sequence[str] = ()  # the user's libraries
    wrap: Sequence[str] = field(default_factory=tuple)  # the OpenMP routines that the core answers


class Device(ABC):
    """One kind of device, at build time."""

    name: str
    image_class: str  # the device_class under which its image is embedded
    kernel_class: str  # 'default' or 'gpu'
    python_module: Optional[Callable[[], object]] = None  # makes the device object of a module written in Python
    needs_library: Optional[str] = None  # a Python device without which there is none: "libcuda.so.1"

    @abstractmethod
    def probe(self) -> Availability:
        """Whether the device can be used here.  Quick, starts nothing."""

    @abstractmethod
    def build_image(self, job: ImageJob) -> Path:
        """Build the image that the module loads.  Raises BuildFailed, ToolMissing."""

    def prepare(self, tools: Toolchain) -> None:
        """Compile what all images for this device share, so that it is in the cache."""
        self.build_image(ImageJob(tools, ()))

    def native_sources(self) -> List[Path]:
        """C files to link into the program: the module's native half."""
        source = HERE / (self.name + ".c")
        return [source] if source.exists() else []

    def native_inputs(self) -> List[Path]:
        """Further files whose content the native half depends on."""
        return []


def _load(file: Path) -> ModuleType:
    name = "ompls_device_" + file.stem
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, str(file))
        if spec is None or spec.loader is None:
            raise DeviceUnavailable(file.stem, "{} is not a Python file".format(file), "see OMPLS_DEVICE_PATH")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


def all_devices() -> Dict[str, Device]:
    """Every known device by name, in the order of preference."""
    return _found("*")


def _found(file_name: str) -> Dict[str, Device]:
    """The devices of the files with such a name (without `.py`), in the order of preference."""
    names = [info.name for info in pkgutil.iter_modules([str(HERE)]) if fnmatch(info.name, file_name)]
    modules = [importlib.import_module("." + name, __name__) for name in names]
    for directory in filter(None, os.environ.get("OMPLS_DEVICE_PATH", "").split(":")):
        modules += [_load(file) for file in sorted(Path(directory).glob(file_name + ".py"))]
    found: Dict[str, Device] = {}
    for module in modules:
        device = getattr(module, "DEVICE", None)
        if isinstance(device, Device):
            found[device.name] = device
    rank = {name: place for place, name in enumerate(PREFERENCE)}
    return {d.name: d for d in sorted(found.values(), key=lambda d: (rank.get(d.name, len(rank)), d.name))}


def choose(spec: str) -> List[Tuple[Device, int]]:
    """The devices of a `--device` text: `auto`, or a comma list of NAME or NAME:N.  N is 0 when not given.

    Raises DeviceUnavailable with the reason for a name that is unknown or a device that cannot be used here.
    """
    if spec == "auto":
        reasons: Dict[str, List[str]] = {}  # to the names of the devices that say so
        for device in all_devices().values():
            state = device.probe()
            if state.available:
                return [(device, 0)]
            reasons.setdefault(state.reason, []).append(device.name)
        told = "; ".join("{}: {}".format(", ".join(names), reason) for reason, names in reasons.items())
        raise DeviceUnavailable(
            "auto", "no device can be used on this machine ({})".format(told), "see `ompls devices`"
        )
    chosen = []
    for part in spec.split(","):
        name, _, number = part.strip().partition(":")
        known = _found(name) if name.isidentifier() else {}  # the others need not be loaded
        if name not in known:
            known = all_devices()
        if name not in known:
            raise DeviceUnavailable(name, "there is no such device", "choose one of: " + ", ".join(known))
        if number and not (number.isdigit() and 1 <= int(number) <= 256):
            raise DeviceUnavailable(part, "'{}' is not a number of devices".format(number), "write NAME or NAME:NUMBER")
        state = known[name].probe()
        if not state.available:
            raise DeviceUnavailable(name, state.reason, state.hint)
        chosen.append((known[name], int(number or 0)))
    return chosen
