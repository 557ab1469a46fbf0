"""The Python-hosted form: a program as a shared object, run by this interpreter, with devices written in Python.

The program's `main` runs on the main thread without the interpreter's lock; device calls come back through the bridge
(core/bridge.c).  The program must not notice its host: signal handlers, locale and environment are put back to what a
native program finds, and the process ends through the C library's `exit`, as after a return from `main`.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import Dict, List, NoReturn, Sequence

from .devices import Broken, Device, devices_of, named, on_board, state_of
from .errors import DeviceUnavailable, RuntimeProblem
from .loading import told

LC_ALL = 6  # of <locale.h> on Linux


def _original_environment() -> Dict[bytes, bytes]:
    """The environment at the start of the process: the interpreter sets LC_CTYPE in the C locale (PEP 538)."""
    with open("/proc/self/environ", "rb") as file:
        pairs = [entry.partition(b"=") for entry in file.read().split(b"\0") if entry]
    return {name: value for name, _, value in pairs}


def _look_native(libc: ctypes.CDLL) -> None:
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    original = _original_environment()
    for variable in [key for key in os.environb if key not in original]:
        del os.environb[variable]
    for variable, value in original.items():
        if os.environb.get(variable) != value:
            os.environb[variable] = value
    libc.setlocale(LC_ALL, b"C")


def _be_called(libc: ctypes.CDLL, name: bytes) -> None:
    ctypes.c_char_p.in_dll(libc, "program_invocation_name").value = name
    ctypes.c_char_p.in_dll(libc, "program_invocation_short_name").value = os.path.basename(name)


def _add_modules(library: Path, linked: Sequence[str]) -> None:
    named_by_user = bool(os.environ.get("OMPLS_DEVICES", "").strip(","))
    program = ctypes.CDLL(str(library))
    bridge = ctypes.PyDLL(str(library)).ompls_bridge_add
    bridge.argtypes = [ctypes.py_object]
    for device in _usable(linked):
        make = device.python_module  # and not `hosted`, which was asked when the program was built
        if make is None:
            continue
        # Asked here, because it loads the driver, whose exit handlers must be there before the bridge's.  What is
        # wanted by name says itself why it is not there.
        state = state_of(device)
        if not state.available and not named_by_user:
            if state.mistaken:
                _warn_of(device.name, _with_hint(state.reason, state.hint))
            continue
        try:
            module = make()
        except KeyboardInterrupt:
            raise
        except DeviceUnavailable as error:
            _warn_of(device.name, _with_hint(error.reason, error.hint))
            continue
        except BaseException as error:  # noqa: BLE001 -- others wrote it
            _warn_of(device.name, told(error, device.folder))
            continue
        add = getattr(module, "add", None)
        if add is not None:  # its table is in C, and it puts it in
            add(program)
        elif bridge(module) != 0:
            raise RuntimeProblem("device '{}'".format(device.name), "the bridge does not know this interpreter")


def _usable(names: Sequence[str]) -> List[Device]:
    """The devices of these names that there are, in the order of preference; those that are elsewhere at last."""
    found = devices_of(names)
    for name in names:
        if name not in found:
            with contextlib.suppress(DeviceUnavailable):  # the core says that there is none
                found[name] = named(name)[0][0]
    return list(found.values())


def _with_hint(reason: str, hint: str) -> str:
    return "{}; {}".format(reason, hint) if hint else reason


def _warn_of(name: str, why: str) -> None:
    sys.stderr.write("ompls: warning: device '{}' is not available: {}\n".format(name, why))


def _warn_of_missing(devices: str) -> None:
    """Say which of the devices that the program was linked for have no module that can be used."""
    names = [name for name in devices.split(",") if name]
    known = devices_of([name.partition("(")[0] for name in names])
    for name in names:
        device = known.get(name.partition("(")[0]) or on_board(name)
        why = "" if device is not None else "no folder or board of that name is found; see OMPLS_DEVICE_PATH"
        if isinstance(device, Broken):
            why = state_of(device).reason
        if why:
            _warn_of(name, why)


def run_program(path: str, devices: str, argv: Sequence[str]) -> NoReturn:
    """Run a program built as a shared object; ends the process with its exit code.

    `devices` are those in Python that it was linked for and that may be wanted, with commas between them.
    `argv` begins with the program's name.  Raises RuntimeProblem when the object cannot be loaded.
    """
    program = Path(path)
    texts = [os.fsencode(text) for text in argv]
    libc = ctypes.CDLL(None)
    _be_called(libc, texts[0])  # what is loaded asks for it at once
    try:
        library = ctypes.CDLL(str(program))
        main = library.main
    except (OSError, AttributeError) as error:
        hint = (
            "build it again; where libraries are that it does not find, -Wl,-rpath,DIRECTORY says, or LD_LIBRARY_PATH"
        )
        raise RuntimeProblem(str(program), str(error), hint) from error
    _add_modules(program, devices.split(","))
    _warn_of_missing(devices)
    if path.startswith("/proc/{}/fd/".format(os.getpid())):  # the stub's: the program shall not find it open
        os.close(int(program.name))
    pointers = (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
    sys.stdout.flush()
    sys.stderr.flush()
    _look_native(libc)
    environ = ctypes.c_void_p.in_dll(libc, "environ")
    libc.exit(main(len(texts), pointers, environ))
    raise AssertionError("exit returned")
