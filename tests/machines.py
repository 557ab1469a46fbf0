"""Machines whose compilers judge the sizes of types: how each is called, where it is installed."""

from __future__ import annotations

import shutil
from functools import lru_cache

import pytest

from ompls.analysis.model.datamodel import DataModel, of_macros
from ompls.analysis.source import HeaderSnapshot
from ompls.project.compiler import preprocess
from ompls.project.skeleton import MARK

COMMANDS: dict[str, tuple[str, ...]] = {
    "x86-64": ("gcc",),
    "i386": ("gcc", "-m32"),
    "armhf": ("arm-linux-gnueabihf-gcc",),
    "aarch64": ("aarch64-linux-gnu-gcc",),
}


def command_of(machine: str) -> tuple[str, ...]:
    """Its compiler, by its path, and what it is called with.  Skips the test where there is none."""
    name, *flags = COMMANDS[machine]
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name} on this machine")
    return (found, *flags)


@lru_cache(maxsize=8)
def snapshot_of(machine: str) -> HeaderSnapshot:
    """A snapshot of no header."""
    compiler, *flags = command_of(machine)
    return HeaderSnapshot(machine, preprocess(compiler, f"{MARK} start\n", tuple(flags), "/").predefined)


def model_of(machine: str) -> DataModel:
    return of_macros({macro.name: macro.body for macro in snapshot_of(machine).predefined})
