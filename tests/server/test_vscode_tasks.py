"""What tasks of the extension for VS Code say to `ompls`, on node, against what the server says to it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from ompls.project.layers import settings_of
from ompls.project.words import words

from .test_vscode_features import EXTENSION, NODE, needs_node

SET: dict[str, Any] = {
    "openmp_version": "4.5",
    "diagnostics.select": ("mapping", "sharing"),
    "diagnostics.ignore": ("performance",),
    "preview.device": "cudasim",
    "run.device": "cuda:2",
    "run.timeout": 2.5,
}
SAID = {"openmpVersion" if key == "openmp_version" else key: value for key, value in SET.items()}


def tasks(*cases: tuple[dict[str, Any], dict[str, Any]]) -> list[list[str]]:
    """The words of tasks, each with what it says itself and what settings say."""
    command = [str(NODE), str(Path(__file__).with_name("tasks.mjs")), str(EXTENSION)]
    asked = json.dumps([{"definition": definition, "settings": settings} for definition, settings in cases])
    done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    said: list[list[str]] = json.loads(done.stdout)
    return said


@needs_node
def test_a_task_says_what_the_server_says() -> None:
    given = settings_of(SET)
    check, run, on_host = words("check", given), words("run", given), words("run", given, device="host")
    more = {**SAID, "flags": ["-DN=4"], "run.arguments": ["a", "b"]}
    assert tasks(
        ({"task": "check"}, SAID),
        ({"task": "check", "file": "."}, {}),
        ({"task": "run"}, SAID),
        ({"task": "run", "file": "x.c"}, more),
        ({"task": "run", "device": "host", "arguments": []}, more),
    ) == [
        [*check, "${file}"],
        ["check", "."],
        [*run, "${file}", "--"],
        [*run, "-DN=4", "x.c", "--", "a", "b"],
        [*on_host, "-DN=4", "${file}", "--"],
    ]
