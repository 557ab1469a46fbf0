"""Programs over the counting device (core/mock.c): how they are built and run."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ompls.runtime.build import CORE, CORE_FLAGS, CORE_SOURCES, INCLUDE, WRAP
from ompls.runtime.toolchain import Compile, Toolchain

PROGRAMS = Path(__file__).parent / "core"
# Sanitizers see more of what is not optimized, and the compiler takes a third of the time; `plain` is as users have it.
_NOT_OPTIMIZED = ("-O0", "-Wno-maybe-uninitialized")  # of which gcc then knows less
SANITIZERS = {
    "plain": (),
    "address": (*_NOT_OPTIMIZED, "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    "thread": (*_NOT_OPTIMIZED, "-fsanitize=thread"),
}

Program = Callable[[str, str], Path]


@pytest.fixture(scope="session")
def program(cache: Path) -> Program:
    """Builds tests/runtime/core/NAME.c with the core, the mock and a sanitizer."""

    @functools.cache
    def build(name: str, sanitizer: str) -> Path:
        flags = (
            *CORE_FLAGS,
            "-Wno-missing-field-initializers",  # what a test does not need is 0
            *SANITIZERS[sanitizer],
            f"-I{CORE}",
            "-isystem",
            str(INCLUDE),
            "-fopenmp",
            "-foffload=disable",
        )
        headers = (*CORE.glob("*.h"), PROGRAMS / "mock.h")
        with Toolchain(cache) as tools:
            sources = [CORE / f"{part}.c" for part in CORE_SOURCES] + [PROGRAMS / "mock.c", PROGRAMS / f"{name}.c"]
            *core, own = [Compile(source, flags, depends=tuple(sorted(headers))) for source in sources]
            objects = [*tools.together(core, "joining the core"), tools.object(own)]
            link = (*SANITIZERS[sanitizer], *WRAP, "-fopenmp", "-foffload=disable", "-ldl")
            return tools.link(link, objects, "", f"linking {name}")

    return build


def run(program: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMP", "LSAN"))}
    # A device is never closed before the last thread is gone: what it holds at the end is no leak of interest.
    return subprocess.run(
        [program, *args],
        check=False,
        env={**clean, "ASAN_OPTIONS": "detect_leaks=0", **env},
        capture_output=True,
        text=True,
        timeout=120,
    )
