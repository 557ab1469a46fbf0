"""The devices as the run time sees them: the folders `NAME/module/` of `ompls/devices/` and of OMPLS_DEVICE_PATH.

A module is a Python package that defines `DEVICE`, an object with the attributes and methods of `Device` below; the C
files in it are its native half.  A device written in Python names a factory instead (`python_module`): it then runs in
the Python-hosted form only.  Nothing else of the run time knows a device by name.

OMPLS_DEVICE_PATH has directories with more folders, separated by `:`.  Their code is executed, so they are absolute,
and only their owner or root may write there; others are left out (`ompls` says so).
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from .errors import DeviceUnavailable
from .folders import AUTO, OURS, folders

if TYPE_CHECKING:
    from .bundle import Kernel
    from .toolchain import Toolchain

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

    image_class: str  # the device_class under which its image is embedded
    kernel_class: str  # which of a bundle's kernels it takes
    python_module: Optional[Callable[[], object]] = None  # makes the device object of a module written in Python
    joins_functions = False  # what kernels call of other units stands in front of them, and is no file of its own
    debuggable = False  # whether a debugger of this machine can stop in its kernels
    checks = False  # whether it builds kernels that look for mistakes (OMPLS_CHECK)
    needs_library: Optional[str] = None  # a Python device without which there is none: "libcuda.so.1"

    @property
    def folder(self) -> Path:
        """Its module."""
        return Path(str(sys.modules[type(self).__module__].__file__)).resolve().parent

    @property
    def name(self) -> str:
        """Its folder's."""
        return self.folder.parent.name

    @abstractmethod
    def probe(self) -> Availability:
        """Whether the device can be used here.  Quick, starts nothing."""

    def probe_building(self) -> Availability:
        """Whether programs can be built for it here, wherever they will run."""
        return self.probe()

    @abstractmethod
    def build_image(self, job: ImageJob) -> Path:
        """Build the image that the module loads.  Raises BuildFailed, ToolMissing."""

    def prepare(self, tools: Toolchain) -> None:
        """Compile what all images for this device share, so that it is in the cache."""
        self.build_image(ImageJob(tools, ()))

    def environment(self, given: Mapping[str, str]) -> Dict[str, str]:
        """What programs that use the device should find in their environment, where the user does not say it."""
        return {}

    def native_sources(self) -> List[Path]:
        """C files to link into the program: the module's native half."""
        return sorted(self.folder.glob("*.c"))

    def native_inputs(self) -> List[Path]:
        """Further files whose content the native half depends on."""
        return []


def _modules() -> Dict[str, Path]:
    """The modules' folders, by the devices' names."""
    modules = {name: folder / "module" for name, folder in folders()[0].items()}
    return {name: module for name, module in modules.items() if (module / "__init__.py").is_file()}


class Broken(Device):
    """Stands for a device whose module cannot be used."""

    image_class = kernel_class = ""

    def __init__(self, folder: Path, reason: str) -> None:
        self._folder, self._reason = folder, reason

    @property
    def folder(self) -> Path:
        return self._folder

    def probe(self) -> Availability:
        return Availability(False, self._reason, "correct {}".format(self._folder / "__init__.py"))

    def build_image(self, job: ImageJob) -> Path:
        raise DeviceUnavailable(self.name, self._reason)


def told(error: BaseException, folder: Path) -> str:
    """An exception of a module in one line, with where it was raised in there."""
    lines = traceback.extract_tb(error.__traceback__)
    at = next((line for line in reversed(lines) if Path(line.filename).parent == folder), None)
    where = " ({}:{})".format(os.path.basename(at.filename), at.lineno) if at is not None else ""
    what = " ".join(str(error).split())
    return "its module raises {}{}{}".format(type(error).__name__, ": " + what if what else "", where)


def _load(name: str, folder: Path) -> Device:
    """What others wrote may raise anything, SystemExit too."""
    try:
        device = _imported(name, folder)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001
        return Broken(folder, told(error, folder))
    if not isinstance(device, Device):
        return Broken(folder, "its module has no DEVICE that is an ompls.runtime.devices.Device")
    missing = [a for a in ("image_class", "kernel_class") if not isinstance(getattr(device, a, None), str)]
    return Broken(folder, "its DEVICE has no {}".format(missing[0])) if missing else device


def _imported(name: str, folder: Path) -> object:
    module = "ompls.devices.{}.module".format(name)
    if folder != OURS / name / "module":
        module = "ompls_device_" + name
        if module not in sys.modules:
            file = str(folder / "__init__.py")
            spec = importlib.util.spec_from_file_location(module, file, submodule_search_locations=[str(folder)])
            if spec is None or spec.loader is None:
                raise ImportError("it is not a Python file")
            sys.modules[module] = importlib.util.module_from_spec(spec)
            try:
                spec.loader.exec_module(sys.modules[module])
            except BaseException:
                del sys.modules[module]
                raise
    return getattr(importlib.import_module(module), "DEVICE", None)


def state_of(device: Device, building: bool = False) -> Availability:
    """What the device says of its availability, whatever its module does."""
    try:
        state = device.probe_building() if building else device.probe()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001
        return Availability(False, told(error, device.folder), "correct its module")
    if not isinstance(state, Availability):
        return Availability(False, "its probe gives {!r:.60}, no Availability".format(state), "correct its module")
    if not state.available and not state.reason:
        return replace(state, reason="its module says no more")
    return state


def all_devices() -> Dict[str, Device]:
    """Every device that has a module, by name, in the order of preference."""
    return _found(_modules())


def _found(modules: Dict[str, Path]) -> Dict[str, Device]:
    rank = {name: place for place, name in enumerate(PREFERENCE)}
    names = sorted(modules, key=lambda name: (rank.get(name, len(rank)), name))
    return {name: _load(name, modules[name]) for name in names}


def able(ability: str) -> List[str]:
    """The names of the devices that have it (an attribute of `Device`), in the order of preference."""
    return [name for name, device in all_devices().items() if getattr(device, ability)]


def choose(spec: str, building: bool = False) -> List[Tuple[Device, int]]:
    """The devices of a `--device` text: `auto`, or a comma list of NAME or NAME:N.  N is 0 when not given.

    Raises DeviceUnavailable with the reason for a name that is unknown or a device that cannot be used here.
    """
    if spec == AUTO:
        reasons: Dict[str, List[str]] = {}  # to the names of the devices that say so
        for device in all_devices().values():
            state = state_of(device)
            if state.available:
                return [(device, 0)]
            reasons.setdefault(state.reason, []).append(device.name)
        told = "; ".join("{}: {}".format(", ".join(names), reason) for reason, names in reasons.items())
        raise DeviceUnavailable(AUTO, "no device can be used on this machine ({})".format(told), "see `ompls devices`")
    chosen = named(spec)
    for device, _ in chosen:
        state = state_of(device, building)
        if not state.available:
            raise DeviceUnavailable(device.name, state.reason, state.hint)
    return chosen


def named(spec: str) -> List[Tuple[Device, int]]:
    """The devices of a comma list of NAME or NAME:N, wherever they are.  Raises DeviceUnavailable for what is none."""
    chosen = []
    for part in spec.split(","):
        name, _, number = part.strip().partition(":")
        modules = _modules()
        known = _found({name: modules[name]}) if name in modules else {}  # the others need not be loaded
        if name not in known:
            raise DeviceUnavailable(name, "there is no such device", "choose one of: " + ", ".join(all_devices()))
        if number and not (number.isdigit() and 1 <= int(number) <= 256):
            raise DeviceUnavailable(part, "'{}' is not a number of devices".format(number), "write NAME or NAME:NUMBER")
        chosen.append((known[name], int(number or 0)))
    return chosen
