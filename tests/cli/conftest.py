"""How the tests of the command line call it: in this process where that is enough, as a process where it is not."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import command
import pytest

from ompls.cli import main


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def ompls(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """`ompls("check", "x.c")` runs the command in this process."""
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*words: object) -> Done:
        capfd.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:  # argparse's --help and --version
            code = int(end.code or 0)
        out, err = capfd.readouterr()
        return Done(code, out, err)

    return call


@pytest.fixture(scope="session")
def process() -> Callable[..., Done]:
    """`process("run", "x.c", env={…})` runs the command as a process of its own."""

    def call(*words: object, env: dict[str, str] | None = None, timeout: float = 120, stdin: str = "") -> Done:
        done = command.ompls(*words, env={**os.environ, **(env or {})}, stdin=stdin, timeout=timeout)
        return Done(done.returncode, done.stdout, done.stderr)

    return call
