"""A run with a trace: hints at constructs, and the measured present tables beside the predicted ones."""

from __future__ import annotations

import asyncio
import glob
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from .conftest import Editor

pytestmark = pytest.mark.asyncio

TEXT = """\
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = 8, x[8] = {7};
  int *p = malloc(n * sizeof *p);
  #pragma omp target enter data map(to: x)
  if (argc > 1) {
    #pragma omp target enter data map(alloc: p[0:n])
  }
  for (int k = 0; k < 3; k++) {
    #pragma omp target map(tofrom: x)
    x[0]++;
  }
  #pragma omp target exit data map(from: x)
  return x[0];
}
"""


async def run(editor: Editor, path: Path, text: str = TEXT, **more: Any) -> Any:
    path.write_text(text)
    editor.open(path.as_uri(), text)
    params = {"textDocument": {"uri": path.as_uri()}, "device": "host", "trace": True, **more}
    return await asyncio.wait_for(editor.request("ompls/run", params), 240)


async def environment(editor: Editor, uri: str, needle: str, **more: Any) -> Any:
    at = editor.at(uri, needle)
    position = {"line": at.line, "character": at.character}
    return await editor.request("ompls/dataEnvironment", {"textDocument": {"uri": uri}, "position": position, **more})


async def hints(editor: Editor, uri: str) -> dict[int, str]:
    params = types.InlayHintParams(
        types.TextDocumentIdentifier(uri), types.Range(types.Position(0, 0), types.Position(99, 0))
    )
    found = await editor.client.text_document_inlay_hint_async(params)
    labels = {hint.position.line + 1: str(hint.label) for hint in found or []}
    return {line: label for line, label in labels.items() if re.search("to|from", label)}


async def test_hints_stand_at_constructs_until_the_next_edit(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    ended = await run(vscode, tmp_path / "a.c")
    assert (ended["exitCode"], ended["measured"]) == (10, True)
    assert [m for m, _ in vscode.requested if m == "workspace/inlayHint/refresh"]
    found = await hints(vscode, uri)
    assert found[5] == "to 32 B"
    assert found[13] == "from 32 B"
    params = types.InlayHintParams(
        types.TextDocumentIdentifier(uri), types.Range(types.Position(9, 0), types.Position(10, 0))
    )
    (kernel,) = await vscode.client.text_document_inlay_hint_async(params)
    assert kernel.label.startswith("3 × ")
    assert kernel.tooltip.value.startswith("**Measured on host:0**: kernels ")
    vscode.replace(uri, "return x[0]", "return x[1]")
    assert await hints(vscode, uri) == {}
    assert "measured" not in await environment(vscode, uri, "return x[1]")
    assert glob.glob(f"{tempfile.gettempdir()}/ompls-run-*") == []


async def test_the_measured_table_stands_beside_the_predicted_one(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "b.c").as_uri()
    await run(vscode, tmp_path / "b.c", arguments=["more"])
    answer = await environment(vscode, uri, "x[0]++")
    assert answer["measured"] | {"location": None} == {
        "text": "As it ran: in the construct of line 10, 3 of 3", "visit": 3, "visits": 3, "location": None,
    }  # fmt: skip
    assert answer["measured"]["location"]["range"]["start"]["line"] == 9
    (device,) = answer["devices"]
    assert device["title"] == "device 0, which runs here (host:0)"
    rows = {entry["label"]: (entry["certainty"], entry["measured"], entry["differs"]) for entry in device["entries"]}
    assert rows["x"] == ("certain", "references: 2; 32 B; begins with 07 00 00 00 00 00 00 00 …", False)
    assert rows["p[0:n]"] == ("possible", "references: 1; 32 B", False)
    first = await environment(vscode, uri, "x[0]++", visit=1)
    assert first["measured"]["text"] == "As it ran: in the construct of line 10, 1 of 3"
    last = await environment(vscode, uri, "return x[0]")
    assert last["measured"]["text"] == "As it ran: after line 13"
    assert [entry["measured"] for device in last["devices"] for entry in device["entries"]] == ["references: 1; 32 B"]


async def test_of_a_long_run_the_first_events_are_beside(vscode: Editor, tmp_path: Path) -> None:
    path = tmp_path / "d.c"
    ended = await run(vscode, path, TEXT.replace("k < 3", "k < 40000"))
    assert ended["measured"] is True
    found = await hints(vscode, path.as_uri())
    assert (found[5], found[13]) == ("to 32 B", "from 32 B"), "of the whole run"
    inside = await environment(vscode, path.as_uri(), "x[0]++", visit=7)
    said = re.fullmatch(
        r"As it ran: in the construct of line 10, 7 of (3\d{4}) in the first (\d+),(\d+) events",
        inside["measured"]["text"],
    )
    assert said is not None
    assert 99_900 < int(said[2] + said[3]) <= 100_000
    assert inside["measured"]["visits"] == int(said[1])
    (device,) = inside["devices"]
    rows = {entry["label"]: entry["measured"] for entry in device["entries"]}
    assert rows["x"].startswith("references: 2; 32 B; begins with 07 00 00 00")
    last = await environment(vscode, path.as_uri(), "return x[0]")
    assert (last["measured"]["visit"], last["measured"]["visits"]) == (0, 0)
    assert last["measured"]["text"].startswith("The run came by line 13 after the first ")
    assert not [entry for device in last["devices"] for entry in device["entries"] if "measured" in entry]


async def test_a_trace_that_became_something_else_is_told(vscode: Editor, tmp_path: Path) -> None:
    """The worker does not wait for a pipe."""
    steal = """#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
__attribute__((destructor(101))) static void last(void) {
  const char *trace = getenv("OMPLS_TRACE");
  if (unlink(trace) != 0 || mkfifo(trace, 0600) != 0) abort();
}
"""
    ended = await run(vscode, tmp_path / "e.c", steal + TEXT.replace("#include <stdlib.h>\n", ""))
    assert (ended["exitCode"], ended["measured"]) == (10, False)
    (said,) = vscode.messages()
    assert "the run was not measured: the program has put something else in the place of its trace" in said


async def test_a_run_of_a_text_that_has_changed_since_is_not_kept(vscode: Editor, tmp_path: Path) -> None:
    path, go = tmp_path / "c.c", tmp_path / "go"
    os.mkfifo(go)
    text = "#include <stdio.h>\n" + TEXT.replace("  int n", '  fclose(fopen("go", "r"));\n  int n')
    slow = asyncio.create_task(run(vscode, path, text, workDoneToken="run"))
    await vscode.until(lambda: any(method == "$/progress" for method, _ in vscode.notified))
    vscode.replace(path.as_uri(), "return x[0]", "return x[1]")
    assert await hints(vscode, path.as_uri()) == {}
    await asyncio.to_thread(go.write_bytes, b"")
    assert (await slow)["measured"] is False
    assert await hints(vscode, path.as_uri()) == {}


async def test_what_differs_is_told() -> None:
    from ompls.server.measured import _pair
    from ompls.traces.present import Row

    entry = {"name": "x", "label": "x", "detail": "", "certainty": "certain", "facts": []}
    shown = {
        "devices": [
            {
                "device": "0",
                "title": "device 0",
                "entries": [
                    {**entry, "section": "x", "references": "1"},
                    {**entry, "section": "y[0: n]", "references": "2 or more"},
                    {**entry, "section": "z", "references": "1"},
                    {**entry, "section": "g", "references": "infinite"},
                ],
            }
        ]
    }
    tables = [
        Row("host:0", "x", 0, 4, 2, "a.c:1", 0, 9),
        Row("host:0", "y[0:n]", 8, 4, 3, "a.c:1", 0, 9),
        Row("host:0", "g", 16, 4, -1, "a.c:1", 0, 9),
        Row("host:0", "w", 24, 4, 1, "a.c:2", 0, 9),
    ]
    _pair(shown, tables)
    entries = shown["devices"][0]["entries"]
    assert [(e["section"], e["measured"], e["differs"]) for e in entries] == [  # type: ignore[index]
        ("x", "references: 2; 4 B", True),
        ("y[0: n]", "references: 3; 4 B", False),
        ("z", "not there", True),
        ("g", "for ever; 4 B", False),
        ("w", "references: 1; 4 B", True),
    ]
