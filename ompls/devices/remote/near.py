"""The Python of a program's side: it starts far sides and ends them.  What travels between is library/near.c's.

A device's module makes a `Near` and gives it as what the bridge adds: `add` puts the table of near.c into the program.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

from ompls.runtime import start

LIBRARY = Path(__file__).resolve().parent / "library"
TIMEOUT = "OMPLS_REMOTE_TIMEOUT"
WAIT = "OMPLS_REMOTE_WAIT"
REUSE = "OMPLS_REMOTE_REUSE"  # library/near.c reads it
SECONDS = 10.0
_COUNT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
_START = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_uint64,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_uint64,
)
_END = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int)
_NAME, _HINT = 128, 256  # bytes of a machine's name, and of a hint
LOOK = "look whether it runs and can be reached"
_ADDED: "List[Near]" = []  # a program has pointers to their tables


class Unreachable(Exception):
    """A far side cannot be started: why, on one line; detail -- what others have said of it, in lines; hint -- what to
    do, where that is known.
    """

    def __init__(self, why: str, detail: str = "", hint: str = "") -> None:
        super().__init__(why)
        self.detail, self.hint = detail, hint


class _Table(ctypes.Structure):
    """ompls_near of library/near.h."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_char_p),
        ("count", _COUNT),
        ("start", _START),
        ("end", _END),
        ("peers", ctypes.c_int),
    ]


class Line:
    """One started far side, and the C object that carries its frames.

    machine -- its name, for people; hint -- what to do when it is lost
    """

    machine, hint = "", LOOK

    def address(self, program: ctypes.CDLL) -> int:
        """Of the `ompls_line`, made with functions of the program (library/line.h)."""
        raise NotImplementedError

    def end(self, lost: bool) -> None:
        """It ends by itself, or it is lost."""
        raise NotImplementedError


class Near:
    """A module of devices that are elsewhere; `start` starts number `index` with its image.  It raises Unreachable.

    peers -- whether far sides may reach each other
    """

    def __init__(
        self,
        name: str,
        kind: str,
        count: Callable[[int], int],
        start: Callable[[int, Any], Line],
        *,
        peers: bool = False,
    ) -> None:
        self._count, self._start = count, start
        self._lines: Dict[int, Line] = {}
        self._ended: List[Line] = []  # another thread of the program may still be waiting in one
        calls = _COUNT(self._on_count), _START(self._on_start), _END(self._on_end)
        self._table = _Table(name.encode(), kind.encode(), *calls, peers)
        self._program: Any = None

    def add(self, program: ctypes.CDLL) -> None:
        """Add the module to a program, whose object has library/near.c in it."""
        _ADDED.append(self)
        self._program = program
        program.ompls_near_add(ctypes.byref(self._table))

    def _on_count(self, wanted: int) -> int:
        return self._count(wanted)

    def _on_start(self, *given: Any) -> int:
        index, image, size, line, machine, hint, why, room = given
        try:
            data = memoryview((ctypes.c_char * size).from_address(image)).cast("B")
            started = self._start(index, data)
            self._lines[index] = started
            _put(machine, _NAME, started.machine)
            _put(hint, _HINT, started.hint)
            line[0] = started.address(self._program)
        except Unreachable as error:
            _put(why, room, "\n".join([" ".join(str(error).splitlines()), error.detail]))
            _put(hint, _HINT, error.hint)
            return 1
        except Exception as error:  # noqa: BLE001 -- C code waits for an answer
            import traceback  # noqa: PLC0415 -- it imports as much as the rest, for a mistake of ours

            where = traceback.extract_tb(error.__traceback__)[-1]
            _put(why, room, "{!r} ({}:{})".format(error, os.path.basename(where.filename), where.lineno))
            return 1
        return 0

    def _on_end(self, index: int, lost: int) -> None:
        line = self._lines.pop(index, None)
        if line is not None:
            self._ended.append(line)
            line.end(bool(lost))


def _put(to: int, room: int, text: str) -> None:
    data = text.encode("utf-8", "replace")[: room - 1]
    ctypes.memmove(to, data + b"\0", len(data) + 1)


def patience() -> Tuple[float, bool]:
    """Seconds without a sign of life after which a far side is lost (OMPLS_REMOTE_TIMEOUT); whether who waits keeps a
    core busy (OMPLS_REMOTE_WAIT).  Raises Unreachable, when another setting is wrong, too.
    """
    text, how = os.environ.get(TIMEOUT, "") or str(SECONDS), os.environ.get(WAIT, "") or "block"
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 2 <= seconds <= 86400:
        raise Unreachable("{} is {!r:.40}".format(TIMEOUT, text), hint="say 2 to 86400 seconds")
    if how not in ("spin", "block"):
        raise Unreachable("{} is {!r:.40}".format(WAIT, how), hint="say spin or block")
    if os.environ.get(REUSE, "") not in ("", "yes", "no"):
        raise Unreachable("{} is {!r:.40}".format(REUSE, os.environ[REUSE]), hint="say yes or no")
    return seconds, how == "spin"


_OURS = ("near.c", "held.c", "peers.c", "talk.c", "addresses.c", "digest.c")

_OF_LINE = {"mpi": ("mpi_line.c", "mpi_own.c"), "stream": ("stream_line.c",)}


def sources(line: str) -> List[Path]:
    """What the program has of the near side, with a line of this kind: `mpi` or `stream`."""
    ours = [LIBRARY / name for name in (*_OURS, *_OF_LINE[line])]
    return [*ours, Path(start.__file__).resolve().with_name("core") / "blocks.c"]


def inputs() -> List[Path]:
    """The headers that they include."""
    return sorted(LIBRARY.glob("*.h"))
