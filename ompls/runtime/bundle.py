"""Reading a bundle (docs/bundle.md): its manifest as values, its files checked against their hashes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Tuple

from .errors import BundleError

FORMAT = 1


@dataclass(frozen=True)
class Param:
    """One parameter of a kernel: an 8-byte device address, or `size` bytes of another `kind` (docs/bundle.md)."""

    name: str
    kind: str
    size: int
    align: int
    ctype: str


@dataclass(frozen=True)
class Kernel:
    """One target region; `files` maps a kernel class to the file that holds it."""

    name: str
    file: str
    line: int
    mode: str
    params: Tuple[Param, ...]
    files: Dict[str, Path]
    globals: Tuple[str, ...]
    externals: Tuple[str, ...] = ()
    only_read: Tuple[str, ...] = ()  # parameters that are `__restrict__` in a second version of the kernel
    debug: Tuple[str, ...] = ()  # -g and -O… of its unit, when a debugger shall see it
    directory: str = ""  # from which the names of the unit's files count then


@dataclass(frozen=True)
class Function:
    """A function that kernels of other units may call.

    externals -- functions of other units that it calls itself
    parallel  -- whether there are parallel regions in it
    reason    -- why there are no files of it
    """

    name: str
    files: Dict[str, Path]
    externals: Tuple[str, ...]
    parallel: bool
    reason: str


@dataclass(frozen=True)
class Unit:
    """One translated C file; `openmp` is what `_OPENMP` was when it was translated (0: what gcc says).

    architecture, macros -- of the machine that it was translated for, and what its compiler predefines there
    """

    source: str
    host: Path
    includes_from: str
    kernels: Tuple[Kernel, ...]
    functions: Tuple[Function, ...] = ()
    openmp: int = 0
    architecture: str = ""
    macros: Tuple[Tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Bundle:
    """A bundle in a directory."""

    directory: Path
    units: Tuple[Unit, ...]
    classes: Tuple[str, ...]
    devices: Tuple[str, ...]

    def kernels(self, kernel_class: str) -> List[Tuple[Kernel, Path]]:
        """Every kernel that exists in a class, with its file."""
        found = [(k, k.files[kernel_class]) for u in self.units for k in u.kernels if kernel_class in k.files]
        return sorted(found, key=lambda pair: pair[0].name)


def _kernel(directory: Path, data: Dict[str, Any], debug: Dict[str, Any]) -> Kernel:
    return Kernel(
        name=data["name"],
        file=data.get("file", ""),
        line=data.get("line", 0),
        mode=data.get("mode", "spmd"),
        params=tuple(
            Param(p["name"], p["kind"], p["size"], p.get("align", p["size"]), p.get("ctype", ""))
            for p in data["params"]
        ),
        files={name: directory / path for name, path in data["files"].items()},
        globals=tuple(data.get("globals", ())),
        externals=tuple(data.get("externals", ())),
        only_read=tuple(data.get("only_read", ())),
        debug=tuple(debug.get("flags", ())),
        directory=debug.get("directory", ""),
    )


def _function(directory: Path, data: Dict[str, Any]) -> Function:
    return Function(
        name=data["name"],
        files={name: directory / path for name, path in data["files"].items()},
        externals=tuple(data["externals"]),
        parallel=bool(data["parallel"]),
        reason=data["reason"],
    )


def _unit(directory: Path, data: Dict[str, Any]) -> Unit:
    abi = data.get("abi", {})
    return Unit(
        source=data["source"],
        host=directory / data["host"],
        includes_from=data.get("includes_from", ""),
        kernels=tuple(_kernel(directory, k, data.get("debug", {})) for k in data["kernels"]),
        functions=tuple(_function(directory, f) for f in data.get("functions", ())),
        openmp=int(data.get("openmp", 0)),
        architecture=abi.get("architecture", ""),
        macros=tuple(abi.get("macros", {}).items()),
    )


def _check_files(directory: Path, hashes: Dict[str, str]) -> None:
    for name, expected in hashes.items():
        try:
            content = (directory / name).read_bytes()
        except OSError as error:
            raise BundleError(str(directory / name), error.strerror or str(error), "translate again") from error
        if hashlib.sha256(content).hexdigest() != expected:
            raise BundleError(str(directory / name), "it was changed after it was translated", "translate again")


def read_bundle(directory: Path) -> Bundle:
    """Read and check a bundle.

    Raises BundleError when there is none, when a file of it is missing or changed, or when its format is another one.
    """
    manifest = directory / "manifest.json"
    try:
        data = json.loads(manifest.read_text(encoding="utf-8"))
    except OSError as error:
        raise BundleError(
            str(manifest), error.strerror or str(error), "give a directory made by `ompls translate`"
        ) from error
    except ValueError as error:
        raise BundleError(str(manifest), "not JSON ({})".format(error), "translate again") from error
    if not isinstance(data, dict) or data.get("ompls_bundle") != FORMAT:
        raise BundleError(
            str(manifest), "not a bundle of format {}".format(FORMAT), "translate again with this version"
        )
    _check_files(directory, data.get("sha256", {}))
    try:
        units = tuple(_unit(directory, unit) for unit in data["units"])
    except (KeyError, TypeError, AttributeError) as error:
        raise BundleError(str(manifest), "incomplete ({})".format(error), "translate again") from error
    if not units:
        raise BundleError(str(manifest), "it holds no program", "translate again")
    return Bundle(directory, units, tuple(data.get("classes", ())), tuple(data.get("devices", ())))
