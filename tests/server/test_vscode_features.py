"""Commands of the extension for VS Code, on node: their source, the page of why, the one terminal of all runs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None or not (EXTENSION / "node_modules" / "esbuild").exists(),
    reason="node or the extension's packages are not there: 'make typescript' says what to do",
)


def said_by(script: str, *words: str) -> dict[str, Any]:
    """What a script here, run by node, tells of the extension."""
    assert NODE is not None
    command = [NODE, str(Path(__file__).with_name(script)), str(EXTENSION), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@needs_node
def test_commands_know_their_source_and_runs_share_a_terminal() -> None:
    said = said_by("features.mjs")

    # offered in headers and previews, and beside a page without text, not in C++ nor where there is no editor
    assert [value for _, value in said["contexts"]] == [False, True, True, True, True, True, False, False, True]
    in_header = {"textDocument": {"uri": "file:///w/a.h"}, "position": {"line": 3, "character": 0}}
    beside_page = {"textDocument": {"uri": "file:///w/a.c"}, "position": {"line": 5, "character": 0}}
    unsaved = {"textDocument": {"uri": "untitled:Untitled-1"}}
    assert said["questions"] == [in_header, in_header, unsaved, beside_page]
    assert said["informed"][0] == "ompls: open a C file to ask why there is no answer."

    # one page that is nobody's to save, whose text is new each time
    assert (said["page"], said["first"], said["second"]) == ("ompls-why:/Why is there no answer.md", "page 1", "page 2")

    # one terminal, emptied for each run; what is typed goes to the run that is going on
    assert said["screens"] == ["one\r\n\r\nexit code 3 after 1 s\r\n", "\r\nstopped\r\n", "four"]
    assert said["terminals"] == 2  # after the first one was closed
    runs = [(p["run"], p["textDocument"]["uri"], p.get("device")) for m, p in said["typed"] if m == "ompls/run"]
    assert runs == [
        ("vscode-1", "file:///w/a.c", None),
        ("vscode-2", "file:///w/b.c", "host"),
        ("vscode-4", "file:///w/c.c", None),
        ("vscode-5", "file:///w/a.c", None),
        ("vscode-6", "file:///w/a.c", None),
    ]
    assert [p["run"] for m, p in said["typed"] if m == "ompls/run" and p.get("trace")] == ["vscode-6"]
    assert said["refreshed"] is True
    assert said["measured"].endswith("exit code 0 after 1 s: measured, see the data environment\r\n")
    assert [p for m, p in said["typed"] if m == "ompls/runInput"] == [
        {"run": "vscode-1", "text": "x\r"},
        {"run": "vscode-1", "terminal": {"columns": 9, "rows": 8}},
    ]

    # a board runs whole programs, or regions; nothing is asked where the workspace is not trusted
    assert said["choices"] == [
        ["$(check) host", "", "cores"],
        ["$(circle-slash) cuda", "", "no driver; install it"],
        ["$(warning) nano", "the whole program", "over SSH"],
        ["$(warning) nano", "its regions", "over SSH"],
    ]
    asked = ["ompls/devices", "", ""]
    assert said["informed"][1:] == ["ompls: open a C file in a trusted workspace to run it."]
    assert said["chosen"] == [asked, ["ompls/run", "", "nano"], asked, ["ompls/run", "nano", ""]]


@needs_node
def test_the_data_environment_has_what_was_measured_beside_it() -> None:
    said = said_by("environment_view.mjs")
    first, *_, last = said["states"]
    assert first == [
        "As it ran: 3 of 3",
        [
            "x", "references: 1 │ the run: references: 3", "warning",
            ["the run: references: 3", "", "warning"], ["mapped here", "", ""],
        ],
        ["y", "not predicted │ the run: references: 1", "warning", ["the run: references: 1", "", "warning"]],
    ]  # fmt: skip
    assert [state[0] for state in said["states"]] == [f"As it ran: {visit} of 3" for visit in (3, 2, 1, 1, 2)]
    assert said["states"][2][1][2] == "pass"
    assert last[1][2] == "warning"
    assert said["asked"] == [["ompls/dataEnvironment", visit, 4] for visit in (0, 2, 1, 1, 2)]
    assert said["contexts"][0] == ["setContext", "ompls.measured", True]


@needs_node
def test_trust_that_is_given_later_starts_the_server_anew_and_versions_are_compared() -> None:
    said = said_by("connection.mjs", "versions")
    assert said["started"] == [False, True, True, True]
    why = [line for line in said["log"] if "starting the server" in line]
    assert why[:2] == ["info: starting the server: start", "info: starting the server: the workspace is trusted now"]
    warned = [line for line in said["log"] if line.startswith("warn")]
    assert warned == ["warn: the server is of version 0.0.9, the extension of 0.1.0: some of it may not work"] * 2
    assert said["warned"] == [  # once, with what to do
        "ompls: the server is of version 0.0.9, the extension of 0.1.0: some of it may not work; "
        'install ompls 0.1.0 ("pip install ompls==0.1.0"), or set ompls.server.path to another one.',
        ["workbench.action.openSettings", "ompls.server.path"],
    ]
    assert said["health"][-1] == "running"


@needs_node
def test_a_server_that_does_not_answer_is_given_up() -> None:
    said = said_by("connection.mjs", "unanswered")
    assert said["afterRestart"] == [1, 1, "running"]  # servers that have answered, and that were given up
    assert said["afterLimit"] == ['the ompls server is not running; see "ompls: Show Log"', 2]
    assert said["failed"] == [
        "ompls: the server has not answered within 60 s and was stopped: "
        '"ompls: Show Log" says which program it is (setting ompls.server.path).',
        "Restart Server",
        "Show Log",
    ]
    assert said["health"][-1] == "running"  # by the button


@needs_node
def test_what_others_wrote_is_shown_as_text() -> None:
    """VS Code makes `[label](command:…)` a link in notifications and in the language status."""
    said = said_by("messages.mjs")
    text = "[Fix it] (command:x.y) \ufffd[31m\ufffda\tb\nc"
    assert said == {"errors": [text] * 5, "status": f"previews show {text}"}
