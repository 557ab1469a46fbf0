"""Code of a device's folder, its `module/` or `target/`: found, loaded, and told in one line when it fails.

What others wrote may raise anything; `told` says it as the device's fault.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Dict, Tuple

from .errors import one_line
from .folders import OURS

_MOST = 1000  # characters of what an exception says
_Stamp = Tuple[Tuple[str, int], ...]
_loaded: Dict[str, _Stamp] = {}  # by the names of the packages, with the files that they were made of


def load(part: str, folder: Path) -> ModuleType:
    """The package `folder/part/`; loaded again when one of its files has changed.  Raises whatever is in it."""
    if folder.parent == OURS:
        return importlib.import_module("ompls.devices.{}.{}".format(folder.name, part))
    name, place = "ompls_{}_{}".format(part, folder.name), folder / part
    stamp = tuple((str(file), file.stat().st_mtime_ns) for file in sorted(place.rglob("*.py")))
    if name in sys.modules and _loaded.get(name) == stamp:
        return sys.modules[name]
    _forget(name)
    spec = importlib.util.spec_from_file_location(
        name, str(place / "__init__.py"), submodule_search_locations=[str(place)]
    )
    if spec is None or spec.loader is None:
        raise ImportError("it is not a Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what it prints is no part of our output
            spec.loader.exec_module(module)
    except BaseException:
        _forget(name)
        raise
    _loaded[name] = stamp
    return module


def _forget(name: str) -> None:
    for known in [key for key in sys.modules if key == name or key.startswith(name + ".")]:
        del sys.modules[known]


def told(error: BaseException, place: Path) -> str:
    """An exception of the code in `place` (`…/module`, `…/target`) in one line, with where it was raised in there."""
    where, trace = "", error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if place in file.parents:
            where = " ({}:{})".format(os.path.relpath(str(file), str(place)), trace.tb_lineno)
        trace = trace.tb_next
    try:
        what = str(error).strip()[:_MOST]
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 -- that is code of others, too
        what = ""
    return one_line("its {} raises {}{}{}".format(place.name, type(error).__name__, ": " + what if what else "", where))
