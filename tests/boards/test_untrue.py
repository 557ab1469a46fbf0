"""Boards that answer what no board of ours does: a `ssh` whose far side is here, and says what it likes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from command import ompls

_SSH = """\
#!/bin/sh
IFS= read -r n
text=$(head -c "$n")
case $text in
"set -- {function} "*)
    mark=${{text#set -- * }}
    printf '\\n%s\\n' "${{mark%% *}}"
    {answer}
    exit ;;
esac
eval "$text"
"""
ENDLESS = "yes | head -c 100000000; cat >/dev/null"  # the board's end is open as long as ours


def untrue(place: Path, function: str, answer: str) -> dict[str, str]:
    """An environment with such a board."""
    wrapper = place / "bin/ssh"
    wrapper.parent.mkdir(exist_ok=True)
    wrapper.write_text(_SSH.format(function=function, answer=answer))
    wrapper.chmod(0o700)
    return {**os.environ, "XDG_CONFIG_HOME": str(place / "config"), "PATH": f"{wrapper.parent}:{os.environ['PATH']}"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It ends with 255."""
    made = tmp_path_factory.mktemp("program") / "main"
    source = made.with_suffix(".c")
    source.write_text("int main(void) { return 255; }\n")
    subprocess.run(["gcc", "-o", made, source], check=True)
    return made


def add(place: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return ompls("remote", "add", "odd", "board", "--dir", place / "there", env=environment)


def test_what_a_board_says_it_has_is_bounded(tmp_path: Path) -> None:
    done = add(tmp_path, untrue(tmp_path, "facts", ENDLESS))
    assert done.returncode == 2
    assert done.stderr == (
        "ompls: error: board 'odd': it answers more than was asked (facts); "
        "it is no board as we know them: look what runs there\n"
    )


@pytest.mark.parametrize(
    ("function", "answer", "why"),
    [
        ("put", ENDLESS, "it answers more than was asked (put)"),
        ("code", ENDLESS, "it answers more than was asked (code)"),
        ("code", "echo abc", "it answers what cannot be (code)"),
    ],
)
def test_an_answer_that_is_none_is_told(tmp_path: Path, program: Path, function: str, answer: str, why: str) -> None:
    assert add(tmp_path, untrue(tmp_path, "nothing", "")).returncode == 0
    done = ompls("remote", "exec", "odd", program, env=untrue(tmp_path, function, answer), stdin="")
    assert done.returncode == 125
    assert f"ompls: error: board 'odd': {why}" in done.stderr
    assert "Traceback" not in done.stderr
