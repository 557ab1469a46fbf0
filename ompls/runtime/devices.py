"""The devices as the run time sees them: the folders `NAME/module/` of `ompls/devices/` and of OMPLS_DEVICE_PATH, and
the boards of `ompls remote` under their names.

A module is a Python package that defines `DEVICE`, an object with the attributes and methods of `Device` below; the C
files in it are its native half.  A device written in Python names a factory instead (`python_module`): it then runs in
the Python-hosted form only, unless it has a native half, too, and says which of them programs get (`hosted`).  Nothing
else of the run time knows a device by name.

OMPLS_DEVICE_PATH has directories with more folders, separated by `:`.  Their code is executed, so they are absolute,
and only their owner or root may write there; others are left out (`ompls` says so).
"""

from __future__ import annotations

import contextlib
import os
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Callable,
    Collection,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from .errors import DeviceUnavailable, one_line
from .folders import AUTO, PREFERENCE, folders
from .loading import load, told
from .machine import Machine

if TYPE_CHECKING:
    from .boards.registered import Board
    from .bundle import Kernel
    from .toolchain import Toolchain


class Availability(NamedTuple):
    """Whether a device can be used on this machine; if not, the reason and the next step.

    mistaken -- it could be here, but a setting is wrong or something is to be installed: programs say so, where they
                say nothing of a device that is just not there
    """

    available: bool
    reason: str = ""
    hint: str = ""
    description: str = ""
    mistaken: bool = False


class Resources(NamedTuple):
    """What kernels need of a device: a table for people.

    target -- which model of the device it was compiled for
    rows   -- as many texts each as `head` has
    """

    target: str
    head: Tuple[str, ...]
    rows: Sequence[Tuple[str, ...]]


class ImageJob(NamedTuple):
    """What a device gets to build its image from."""

    tools: Toolchain
    kernels: Sequence[Tuple[Kernel, Path]]  # by kernel name, with the file of the device's kernel class
    cflags: Sequence[str] = ()  # the user's -O, -g, -D, -I, -std
    ldflags: Sequence[str] = ()  # the user's libraries
    wrap: Sequence[str] = ()  # the OpenMP routines that the core answers


class Device(ABC):
    """One kind of device, at build time."""

    image_class: str  # the device_class under which its image is embedded
    kernel_class: str  # which of a bundle's kernels it takes
    kind = "cpu"  # what OMP_AVAILABLE_DEVICES calls it, as its module says: "gpu", "accelerator"
    python_module: Optional[Callable[[], object]] = None  # makes the device object of a module written in Python
    joins_functions = False  # what kernels call of other units stands in front of them, and is no file of its own
    debuggable = False  # whether a debugger of this machine can stop in its kernels
    checks: Tuple[str, ...] = ()  # the mistakes that its kernels can be built to look for (OMPLS_CHECK)
    tells_resources = False  # whether `resources` answers
    takes_inner = False  # whether `around` answers
    emulated = False  # whether it stands for hardware that is not here: `auto` does not choose it
    needs_library: Optional[str] = None  # a Python device without which there is none: "libcuda.so.1"

    @property
    def folder(self) -> Path:
        """Its module, where it was found: what a link leads to has another name."""
        return Path(os.path.abspath(str(sys.modules[type(self).__module__].__file__))).parent

    @property
    def name(self) -> str:
        """Its folder's."""
        return self.folder.parent.name

    @property
    def hosted(self) -> bool:
        """Whether programs that are built now get its module in Python.  Raises DeviceUnavailable."""
        return self.python_module is not None

    def as_native(self, facts: Optional[Mapping[str, str]] = None) -> Device:
        """This device with a native half, for programs and far sides without Python.

        facts -- what the machine is that it is to be on (board.sh); None: this one

        Raises DeviceUnavailable when it has none.
        """
        if self.hosted:
            raise DeviceUnavailable(self.name, "its module is written in Python", "use a device with a native one")
        return self

    def for_another(self) -> Device:
        """This device for programs for another machine, of whose Python nothing is known: native where it can be."""
        return self

    @abstractmethod
    def probe(self) -> Availability:
        """Whether the device can be used here.  Quick, starts nothing."""

    def probe_building(self, machine: Machine) -> Availability:
        """Whether programs can be built for it here that run on the machine.  Of another one nothing is asked here."""
        return self.probe() if machine.here else Availability(True)

    def refuse_libraries(self, libraries: Sequence[Path]) -> None:  # noqa: B027 -- most refuse none
        """Raises DeviceUnavailable for one that no program with this device can be linked with."""

    @abstractmethod
    def build_image(self, job: ImageJob) -> Path:
        """Build the image that the module loads.  Raises BuildFailed, ToolMissing."""

    def prepare(self, tools: Toolchain) -> None:
        """Compile what all images for this device share, so that it is in the cache."""
        self.build_image(ImageJob(tools, ()))

    def resources(self, kernels: Mapping[str, bytes], target: str) -> Resources:
        """What kernels need, from their files' texts by name; target '': the usual model.  Raises RuntimeProblem."""
        raise DeviceUnavailable(self.name, "it does not tell what kernels need")

    def environment(self, given: Mapping[str, str]) -> Dict[str, str]:
        """What programs that use the device should find in their environment, where the user does not say it."""
        return {}

    def around(self, inner: str) -> Device:
        """This device with the device of that name inside: NAME(INNER).  Raises DeviceUnavailable."""
        raise DeviceUnavailable(self.name, "it has no device inside", "leave out ({})".format(inner))

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


# What is read of a device before anything is asked of it, and its type.
_ATTRIBUTES: Dict[str, Tuple[type, ...]] = {
    **dict.fromkeys(("image_class", "kernel_class", "kind"), (str,)),
    **dict.fromkeys(("joins_functions", "debuggable", "tells_resources", "takes_inner", "emulated"), (bool,)),
    "checks": (tuple,),
    "needs_library": (str, type(None)),
}


def _load(folder: Path) -> Device:
    """What others wrote may raise anything, SystemExit too."""
    try:
        device = getattr(load("module", folder.parent), "DEVICE", None)
        if not isinstance(device, Device):
            return Broken(folder, "its module has no DEVICE that is an ompls.runtime.devices.Device")
        wrong = _unfit(device, folder)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001
        return Broken(folder, told(error, folder))
    return Broken(folder, "its DEVICE has no {}".format(wrong)) if wrong else device


def _unfit(device: Device, folder: Path) -> str:
    """Which attribute it lacks, or has with a value of another type; '': none."""
    if device.folder != folder or device.name != folder.parent.name:
        return "name and folder of its own: its class is to be defined in {}".format(folder / "__init__.py")
    for name, kinds in _ATTRIBUTES.items():
        value = getattr(device, name, ...)
        if not isinstance(value, kinds) or (isinstance(value, str) and not value.isprintable()):
            return "{} that is {}".format(name, kinds[0].__name__)
    return "python_module that can be called" if not callable(device.python_module or str) else ""


def state_of(device: Device, machine: Optional[Machine] = None) -> Availability:
    """What the device says of its availability, whatever its module does; with `machine` to programs built for it."""
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what it prints is no part of our output
            state = device.probe() if machine is None else device.probe_building(machine)
        if not isinstance(state, Availability):
            said = one_line("its probe gives {!r:.60}, no Availability".format(state))
            return Availability(False, said, "correct its module")
        reason, hint, told_of = (one_line(str(text)) for text in (state.reason, state.hint, state.description))
        state = Availability(bool(state.available), reason, hint, told_of, bool(state.mistaken))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001
        return Availability(False, told(error, device.folder), "correct its module")
    if not state.available and not state.reason:
        return state._replace(reason="its module says no more")
    return state


def all_devices() -> Dict[str, Device]:
    """Every device that has a module, by name, in the order of preference."""
    return _found(_modules())


def devices_of(names: Collection[str]) -> Dict[str, Device]:
    """The same, but only those of these names: the others' modules are not loaded."""
    return _found({name: place for name, place in _modules().items() if name in names})


def _found(modules: Dict[str, Path]) -> Dict[str, Device]:
    rank = {name: place for place, name in enumerate(PREFERENCE)}
    names = sorted(modules, key=lambda name: (rank.get(name, len(rank)), name))
    return {name: _load(modules[name]) for name in names}


def able(ability: str) -> List[str]:
    """The names of the devices that have it (an attribute of `Device`), in the order of preference."""
    return [name for name, device in all_devices().items() if getattr(device, ability)]


def choose(
    spec: str, machine: Optional[Machine] = None, facts: Optional[Mapping[str, str]] = None
) -> List[Tuple[Device, int]]:
    """The devices of a `--device` text: `auto`, or a comma list of NAME or NAME:N.  N is 0 when not given.

    machine -- for which programs are built; None: they run here, at once
    facts -- what it is (board.sh), when it is a board without Python

    Raises DeviceUnavailable with the reason for a name that is unknown or a device that cannot be used here.
    """
    if spec == AUTO and machine is not None and not machine.here:
        why = "which devices there are on another machine ({}) is not known here".format(machine.architecture)
        raise DeviceUnavailable(AUTO, why, "name them: one or several of " + ", ".join(all_devices()))
    if spec == AUTO:
        return [(next(usable()), 0)]
    chosen = named(spec)
    if facts is not None:
        chosen = [(device.as_native(facts), number) for device, number in chosen]
    elif machine is not None and not machine.here:
        chosen = [(device.for_another(), number) for device, number in chosen]
    for device, _ in chosen:
        state = state_of(device, machine)
        if not state.available:
            raise DeviceUnavailable(device.name, state.reason, state.hint)
    return chosen


def usable() -> Iterator[Device]:
    """The devices that `auto` chooses among on this machine, the preferred one first.

    Raises DeviceUnavailable, with the reasons, where there is none.
    """
    reasons: Dict[str, List[str]] = {}  # to the names of the devices that say so
    found = False
    for device in all_devices().values():
        state = state_of(device)
        if state.available and not device.emulated:
            found = True
            yield device
            continue
        if state.available:
            state = Availability(False, "it is emulated: name it to use it")
        reasons.setdefault(state.reason, []).append(device.name)
    if not found:
        told = "; ".join("{}: {}".format(", ".join(names), reason) for reason, names in reasons.items())
        raise DeviceUnavailable(AUTO, "no device can be used on this machine ({})".format(told), "see `ompls devices`")


def named(spec: str) -> List[Tuple[Device, int]]:
    """The devices of a comma list of NAME or NAME:N, wherever they are; NAME may be OUTER(INNER).

    Raises DeviceUnavailable for what is none.
    """
    chosen = []
    for part in spec.split(","):
        name, _, number = part.strip().partition(":")
        device = _one(name)
        if number and not (number.isdigit() and 1 <= int(number) <= 256):
            raise DeviceUnavailable(part, "'{}' is not a number of devices".format(number), "write NAME or NAME:NUMBER")
        chosen.append((device, int(number or 0)))
    return chosen


def _one(name: str) -> Device:
    outer, inside, inner = name.partition("(")
    modules = _modules()
    known = _found({outer: modules[outer]}) if outer in modules else {}  # the others need not be loaded
    if outer not in known and (board := on_board(name)) is not None:
        return board
    if outer not in known:
        from .boards.registered import boards  # noqa: PLC0415 -- as in `on_boards`

        why = "its folder has no module/ to run it" if outer in folders()[0] else "there is no such device"
        raise DeviceUnavailable(outer, why, "choose one of: " + ", ".join([*all_devices(), *boards()]))
    if not inside:
        return known[outer]
    if not inner.endswith(")"):
        raise DeviceUnavailable(name, "its ')' is missing", "write OUTER(INNER)")
    _one(inner[:-1])
    return known[outer].around(inner[:-1])


def on_board(name: str) -> Optional[Device]:
    """The board of that name as a device; None: there is none.  Raises RuntimeProblem as `boards` does."""
    return next((device for device in on_boards() if device.name == name), None)


def on_boards() -> List[Device]:
    """The boards as devices, also those that cannot be used.  Raises RuntimeProblem as `boards` does."""
    from ompls.devices.remote.board import BoardDevice  # noqa: PLC0415 -- it is built of what is in here

    from .boards.registered import boards  # noqa: PLC0415 -- a program that starts with devices of here needs none

    inner = _modules()  # a board is none: it is another machine already
    return [BoardDevice(board) if board.device in inner else _Hollow(board) for board in boards().values()]


class _Hollow(Device):
    """Stands for a board whose device inside is none."""

    image_class = kernel_class = ""

    def __init__(self, board: Board) -> None:
        self._board = board

    @property
    def name(self) -> str:
        return self._board.name

    def probe(self) -> Availability:
        """With the next step."""
        why = "'{}' is no device that can be inside".format(self._board.device)
        return Availability(False, why, "remove the board, and add it with another --device")

    def build_image(self, job: ImageJob) -> Path:
        state = self.probe()
        raise DeviceUnavailable(self.name, state.reason, state.hint)
