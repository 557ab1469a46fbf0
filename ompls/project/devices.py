"""The devices: each is a folder `NAME/` with a `device.toml`, ours (`ompls/devices/`) and those of OMPLS_DEVICE_PATH.

    title = "a GPU, through NVIDIA's driver"
    kernels = "gpu"                 # the transformation set that makes its kernels, or that its target/ derives from…
    language = "CUDA"               # …and what people call their text
    main_thread = true              # which runs sequential code and wakes the others for a parallel region
    wide_long = true                # kernels have the host's `long` for the variables that they share
    like = "cuda"                   # what is not said here is as that device says it
    planned = "…"                   # no kernels are made for it yet, and why
    triples = ["nvptx"]             # how the targets begin that are this device to other compilers
    inner = true                    # another device can be inside: NAME(INNER)
    in_place_of = "cuda"            # the device whose kernels this one runs where that one is not there

    [limits]
    stack = 524288                  # bytes of a thread
    team_memory = 36864             # bytes of what a team shares
    threads = 1024                  # of a team, at most
    team = 128                      # threads of a team when nobody says how many

    [abi]                           # what its compiler makes of C's types; without this table: what the host's does
    model = "ilp32"                 # or "lp64"; what is not said here is as there (without it: as on the host)
    long_double = 8                 # bytes; also long, pointer, double
    align = 8                       # the greatest alignment of a number in a structure
    biggest = 8                     # what `__attribute__((aligned))` means
    structures = 8                  # alignment of structures that are as large, and of arrays of words in them
    char = "unsigned"               # or "signed"
    byte_order = "little"           # or "big"

    [lacks]                         # and [slow]: an ability (docs/devices.md), and why
    "type long double" = "a GPU has no number of its size"

    [functions]                     # of the C library and the OpenMP API; without this table: all
    groups = ["math", "float"]
    names = "abs labs"
    omp = "omp_get_team_num"
    others = "the device has no function of that name"

A folder with `target/` (project/targets.py) makes its own kernels.  This is data: nothing of a folder is executed here.
Which folders there are says `runtime/folders.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from ompls.analysis.spec.devices import ABILITIES, NOT_YET, DeviceSpec
from ompls.analysis.spec.known import COMPLEX_FUNCTIONS, FLOAT_FUNCTIONS, MATH_FUNCTIONS
from ompls.analysis.spec.near import near
from ompls.project import toml
from ompls.project.files import read_regular
from ompls.project.problem import EnvironmentProblem, FileProblem, shown
from ompls.runtime.errors import RuntimeProblem
from ompls.runtime.folders import AUTO, FILE, VARIABLE, folders

__all__ = ["AUTO", "DEFAULT", "FILE", "VARIABLE", "Registry", "of_settings", "plans", "registry"]

_MOST = 1 << 20  # bytes of such a file
_MOST_LIKE = 32  # devices, each like the next one
_GREATEST = (1 << 63) - 1  # what C and JSON readers have numbers for
_GROUPS = {"math": MATH_FUNCTIONS, "float": FLOAT_FUNCTIONS, "complex": COMPLEX_FUNCTIONS}
_LIMITS = ("stack", "team_memory", "local", "threads", "team")
_TEXTS = ("title", "kernels", "language", "planned", "in_place_of")
_KEYS = (
    *_TEXTS,
    "like",
    "main_thread",
    "wide_long",
    "inner",
    "triples",
    "limits",
    "abi",
    "lacks",
    "slow",
    "older",
    "functions",
)
_ABI_NUMBERS = ("long", "pointer", "double", "long_double", "align", "biggest", "structures")
_ABI_WORDS: dict[str, tuple[str, dict[str, Any]]] = {
    "char": ("signed_char", {"signed": True, "unsigned": False}),
    "byte_order": ("big_endian", {"little": False, "big": True}),
}
_SIZES = (1, 2, 4, 8, 10, 12, 16)  # of numbers and alignments
DEFAULT = "cuda"  # what `auto` stands for where the machine does not matter


@dataclass(frozen=True)
class Registry:
    """What there is.

    devices  -- by name, in the order of their names
    folders  -- where each is
    problems -- what cannot be used of the directories and folders, and why
    """

    devices: Mapping[str, DeviceSpec]
    folders: Mapping[str, Path] = field(default_factory=dict)
    problems: tuple[EnvironmentProblem, ...] = ()
    broken: frozenset[str] = frozenset()  # the names of the folders whose file cannot be used

    def chosen(self, text: str) -> tuple[DeviceSpec, ...]:
        """The devices of a comma list of NAME or NAME:COUNT, each once; `auto` is the default device.

        Raises EnvironmentProblem for a name that is none, or a count that is no number.
        """
        found: dict[str, DeviceSpec] = {}
        for part in text.split(","):
            name, counted, count = part.strip().partition(":")
            if counted and not (count.isdecimal() and 1 <= int(count) <= 256):
                why = f"'{count}' is not a number of devices"
                raise EnvironmentProblem(f"cannot use {name}", why, "write NAME or NAME:NUMBER")
            name = DEFAULT if name == AUTO else name
            found[name] = self.one(name)
        return tuple(found.values())

    def one(self, name: str) -> DeviceSpec:
        """The device NAME or NAME(INNER).  Raises EnvironmentProblem."""
        outer, inside, inner = name.partition("(")
        if outer not in self.devices:
            return self._on_board(name)
        device = self.devices[outer]
        if not inside:
            return device
        if not device.inner or not inner.endswith(")"):
            why, hint = (
                ("its ')' is missing", "write OUTER(INNER)")
                if device.inner
                else ("it has no device inside", f"write {outer}")
            )
            raise EnvironmentProblem(f"cannot use {name}", why, hint)
        found = self.one(inner[:-1])
        title = f"{device.title}, with {inner[:-1]} inside"
        return replace(found, name=name, title=title, triples=(), in_place_of="", inner=True)

    def spelled(self, text: str) -> str:
        """What a text names as devices and boards spell it: editors write that part of a URI in lower case."""
        parts = re.split(r"([(),:])", text)
        if all(part in self.devices for part in parts[::2]):
            return text
        from ompls.runtime.boards.registered import boards  # noqa: PLC0415 -- only for those who name one

        try:
            names = {*self.devices, *boards()}
        except RuntimeProblem:
            names = set(self.devices)
        by_lower = {name.lower(): name for name in sorted(names)}
        return "".join(part if part in names else by_lower.get(part.lower(), part) for part in parts)

    def _on_board(self, name: str) -> DeviceSpec:
        """The device of a board, under the board's name."""
        from ompls.runtime.boards.registered import boards  # noqa: PLC0415 -- only for those who name one

        try:
            known = boards()
        except RuntimeProblem as error:
            raise EnvironmentProblem(f"cannot use {name}", f"{error.what}: {error.why}", error.hint) from error
        if name not in known:
            raise self._unknown(name.partition("(")[0], known)
        board = known[name]
        if board.device not in self.devices:  # another board, say
            why = f"'{board.device}' is no device that can be inside"
            raise EnvironmentProblem(f"cannot use {name}", why, "remove the board, and add it with another --device")
        there = self.one(board.device)
        title = f"{there.title}, on the board {name}"
        return replace(there, name=name, title=title, triples=(), in_place_of="", inner=False, openmp=board.openmp)

    def of_triple(self, target: str) -> str:
        """The name of the device that a target of another compiler is; '': there is none."""
        found = (d.name for d in self.devices.values() if not d.planned and target.startswith(d.triples))
        return next(found, "") if target not in self.devices else ""

    def _unknown(self, name: str, boards: Iterable[str]) -> EnvironmentProblem:
        broken = next((p for p in self.problems if os.path.basename(os.path.dirname(p.what)) == name), None)
        if broken is not None:
            return broken
        every = [*self.devices, *boards]
        close = near(name, every)
        meant = f"did you mean '{close[0]}'? " if close else ""
        known = ", ".join(every)
        return EnvironmentProblem(f"unknown device '{name}'", "no device has this name", f"{meant}there are {known}")


_known: dict[str, tuple[object, Registry]] = {}


def registry() -> Registry:
    """All devices.  Read again when a file or OMPLS_DEVICE_PATH has changed."""
    found, left_out = folders()
    problems = [EnvironmentProblem(f"{VARIABLE}: {path}", why, "it is left out") for path, why in left_out]
    stamp = ([(folder, _time(f"{folder}/{FILE}"), _has_target(folder)) for folder in found.values()], left_out)
    asked = os.environ.get(VARIABLE, "")
    if asked not in _known or _known[asked][0] != stamp:
        _known[asked] = (stamp, _read({name: folder / FILE for name, folder in found.items()}, problems))
    return _known[asked][1]


def _has_target(folder: Path) -> bool:
    return os.path.isfile(f"{folder}/target/__init__.py")


def _time(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:  # reading it says why
        return 0


def of_settings(text: str) -> tuple[DeviceSpec, ...]:
    """The devices that a setting names; () when one of them is there no more."""
    try:
        return registry().chosen(text)
    except EnvironmentProblem:
        return ()


def plans(devices: Iterable[DeviceSpec]) -> list[str]:
    """A sentence of each device for which no kernels are made yet."""
    return [
        f"device '{device.name}' is planned: {device.planned}; it can be checked for, and nothing else"
        for device in devices
        if device.planned
    ]


def _read(files: Mapping[str, Path], problems: list[EnvironmentProblem]) -> Registry:
    tables: dict[str, dict[str, Any]] = {}
    for name, file in files.items():
        try:
            tables[name] = toml.loads(read_regular(str(file), _MOST).decode("utf-8-sig"))
        except FileProblem as problem:
            problems.append(problem)
        except (ValueError, RecursionError) as error:
            problems.append(FileProblem(str(file), f"is not TOML ({error})", "correct it"))
    own = frozenset(name for name, file in files.items() if _has_target(file.parent))
    found: dict[str, DeviceSpec] = {}
    for name in sorted(tables):
        try:
            found[name] = _device(name, tables, own, ())
        except ValueError as error:
            problems.append(FileProblem(str(files[name]), str(error), "correct it"))
    places = {name: files[name].parent for name in found}
    return Registry(found, places, tuple(problems), frozenset(set(files) - set(found)))


def _device(
    name: str, tables: Mapping[str, dict[str, Any]], own: frozenset[str], before: tuple[str, ...]
) -> DeviceSpec:
    """Raises ValueError with what is wrong with a device's table, or with that of one that it is like.

    own -- the names of the devices with a target of their own
    """
    table = dict(tables[name])
    like = table.pop("like", None)
    if like is not None and _text("like", like) not in tables:
        raise ValueError(f"like = {like!r} names no device that can be read")
    if like in (*before, name):
        raise ValueError(f"like = {like!r} goes round in a circle")
    if len(before) == _MOST_LIKE:
        raise ValueError(f"like: more than {_MOST_LIKE} devices, each like the next one")
    base = _device(like, tables, own, (*before, name)) if like is not None else None
    told: dict[str, Any] = {"lacks": NOT_YET, "kernels": ""}
    if base is not None:
        told = {f.name: getattr(base, f.name) for f in fields(DeviceSpec)}
    told |= {"name": name, "planned": "", "triples": (), "in_place_of": "", "inner": False, "older": {}}
    told |= {"target": name} if name in own else {}
    for key, value in table.items():
        told |= _entry(key, value, told)
    if "title" not in told:
        raise ValueError("title is missing")
    if not (told["kernels"] or told.get("target")):
        raise ValueError("kernels is missing")
    told["slow"] = {key: why for key, why in told.get("slow", {}).items() if key not in told["lacks"]}
    return DeviceSpec(**told)


def _entry(key: str, value: Any, told: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry of the file's first level says, by the names of DeviceSpec."""
    if key in _TEXTS:
        return {key: _text(key, value)}
    if key in ("main_thread", "wide_long", "inner"):
        return {key: _of(key, value, lambda v: isinstance(v, bool), "true or false")}
    if key == "triples":
        return {key: tuple(_text(key, name) for name in _of(key, value, lambda v: isinstance(v, list), "a list"))}
    if key in ("lacks", "slow", "older"):
        said = {_ability(key, name): _text(f"{key}.{name}", why) for name, why in _table(key, value).items()}
        return {key: {**told.get(key, {}), **said}}
    if key == "limits":
        return {_name(key, name, _LIMITS): _number(f"{key}.{name}", n) for name, n in _table(key, value).items()}
    if key == "abi":
        return {key: _abi(_table(key, value), told.get(key, ()))}
    if key == "functions":
        return _functions(_table(key, value))
    raise ValueError(f"there is no key {key!r}; it may have {', '.join(_KEYS)}")


def _abi(table: Mapping[str, Any], before: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    """The fields of `DataModel` that a device has otherwise than the host."""
    said = dict(before)
    if "model" in table:
        from ompls.analysis.model.datamodel import MODELS, DataModel  # noqa: PLC0415 -- C's types: few devices differ

        model = MODELS[_word("abi.model", table["model"], MODELS)]
        sizes = [f.name for f in fields(DataModel) if f.name != "signed_char"]  # the host's, unless it is said
        said |= {name: getattr(model, name) for name in sizes}
    for key in [key for key in table if key != "model"]:
        _name("abi", key, ("model", *_ABI_NUMBERS, *_ABI_WORDS))
        if key in _ABI_NUMBERS:
            said[key] = _of(f"abi.{key}", _number(f"abi.{key}", table[key]), _SIZES.__contains__, f"one of {_SIZES}")
        else:
            field_, words = _ABI_WORDS[key]
            said[field_] = words[_word(f"abi.{key}", table[key], words)]
    return tuple(sorted(said.items()))


def _functions(table: Mapping[str, Any]) -> dict[str, Any]:
    known: set[str] = set()
    for key, value in table.items():
        _name("functions", key, ("groups", "names", "omp", "others"))
        if key == "groups":
            _of("functions.groups", value, lambda v: isinstance(v, list), "a list")
            known.update(*(_GROUPS[_name("functions.groups", group, _GROUPS)] for group in value))
        elif key != "others":
            known.update(_words(f"functions.{key}", value))
    others = _text("functions.others", table.get("others", "the device has no function of that name"))
    return {"functions": frozenset(known), "no_function": others}


def _of(key: str, value: Any, right: Callable[[Any], bool], expected: str) -> Any:
    if not right(value):
        raise ValueError(f"{key}: expected {expected}, got {shown(value)}")
    return value


def _text(key: str, value: Any) -> str:
    """It is shown on one line of a terminal."""
    return str(_of(key, value, lambda v: isinstance(v, str) and v != "" and v.isprintable(), "a text on one line"))


def _words(key: str, value: Any) -> list[str]:
    return str(_of(key, value, lambda v: isinstance(v, str), "a text with names")).split()


def _number(key: str, value: Any) -> int:
    def right(v: Any) -> bool:
        return isinstance(v, int) and not isinstance(v, bool) and 0 <= v <= _GREATEST

    return int(_of(key, value, right, f"a number from 0 to {_GREATEST}"))


def _table(key: str, value: Any) -> dict[str, Any]:
    return dict(_of(key, value, lambda v: isinstance(v, dict), "a table"))


def _name(key: str, name: Any, known: Any) -> str:
    if name not in known:
        raise ValueError(f"{key} has no {name!r}; it may have {', '.join(known)}")
    return str(name)


def _word(key: str, value: Any, known: Any) -> str:
    return str(_of(key, value, lambda v: isinstance(v, str) and v in known, f"one of {', '.join(known)}"))


def _ability(key: str, name: str) -> str:
    if name not in ABILITIES:
        close = near(name, ABILITIES)
        raise ValueError(f"{key}: there is no ability {name!r}" + (f"; did you mean {close[0]!r}?" if close else ""))
    return name
