"""Settings as words of the command line: none is lost on the way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ompls.cli import main
from ompls.project.layers import settings_of
from ompls.project.settings import ENTRIES, Settings
from ompls.project.words import OF_EDITORS, OPTIONS, words

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
OTHERS = {
    "openmp_version": "4.5",
    "diagnostics.select": ("mapping", "sharing"),
    "diagnostics.ignore": ("performance",),
    "preview.device": "cudasim",
    "run.device": "cuda:2",
    "run.timeout": 2.5,
}


def test_every_setting_of_editors_is_an_option_or_is_theirs_alone() -> None:
    options = {key for said in OPTIONS.values() for key in said}
    alone = {*OF_EDITORS, "flags", "run.arguments"}
    assert not options & alone
    assert options | alone == {entry.key for entry in ENTRIES.values() if entry.editor}
    assert options == set(OTHERS)


@pytest.mark.parametrize("command", OPTIONS)
def test_what_a_setting_says_is_said_to_each_command(command: str) -> None:
    for key, option in OPTIONS[command].items():
        value = OTHERS[key]
        text = ",".join(value) if isinstance(value, tuple) else str(value)
        assert words(command, settings_of({key: value})) == [command, option, text]
    assert words(command, Settings()) == [command]
    assert words(command, settings_of(OTHERS), device="host").count("host") == 1


def test_the_commands_have_these_options(capsys: pytest.CaptureFixture[str]) -> None:
    for command, said in OPTIONS.items():
        with pytest.raises(SystemExit):
            main([command, "--help"])
        shown = capsys.readouterr().out
        assert [option for option in said.values() if option not in shown] == []


def test_tasks_of_vscode_know_the_same() -> None:
    source = (EXTENSION / "src/features/tasks.ts").read_text("utf-8")
    table = source[source.index("const OPTIONS") :]
    table = table[: table.index("};")]
    for command in ("check", "run"):
        (own,) = re.findall(rf"\b{command}: \{{(.*?)\}}", table, re.DOTALL)
        named = {name.strip("'"): option for name, option in re.findall(r"([\w.']+): '(--\w+)'", own)}
        assert named == {ENTRIES[key].name.removeprefix("ompls."): option for key, option in OPTIONS[command].items()}
