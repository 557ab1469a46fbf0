"""README.md's commands do what it says: each `$ ompls …` of it is run, and prints the lines that follow it there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from command import ompls

ROOT = Path(__file__).resolve().parents[2]


def _sessions() -> list[tuple[str, list[str]]]:
    """The commands of the console blocks, with the output that is shown for each."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    sessions: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                sessions.append((line[2:], []))
            else:
                sessions[-1][1].append(line)
    return [session for session in sessions if session[0].startswith("ompls ")]


def test_the_readme_shows_the_main_commands() -> None:
    assert {shlex.split(command)[1] for command, _ in _sessions()} >= {"check", "preview", "run"}


@pytest.mark.parametrize(("command", "shown"), _sessions(), ids=lambda value: value if isinstance(value, str) else "")
def test_a_command_of_the_readme_works(command: str, shown: list[str]) -> None:
    done = ompls(*shlex.split(command)[1:], cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[: len(shown)] == shown


def test_a_target_sets_variables_for_the_command_that_it_runs() -> None:
    """`VARIABLE=value one && other` sets it for `one` alone: what `other` tests was skipped without a word."""
    lines = (ROOT / "Makefile").read_text().splitlines()
    (command,) = (line.removeprefix("PYTEST = ") for line in lines if line.startswith("PYTEST = "))
    assert not set("&;|") & set(command)
    assert any(re.match(r"\t@?\w+=\S+ \$\(PYTEST\)", line) for line in lines)
