"""A run with a trace: hints at constructs, and the measured present tables beside the predicted ones."""

from __future__ import annotations

import asyncio
import glob
import os
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from features.marked import unit
from lsprotocol import types

from ompls.analysis.text import LineIndex
from ompls.server.convert import Places
from ompls.server.environment import answer
from ompls.server.opened import Result
from ompls.traces.measured import Measured
from ompls.traces.present import rows

from .conftest import Editor

pytestmark = pytest.mark.asyncio
SETTINGS = {"lens": {"price": False}}  # as in test_runs.py

TEXT = """\
#include <stdlib.h>
#define N 8
int main(int argc, char **argv) {
  int n = N, x[N] = {7};
  int *p = malloc(n * sizeof *p);
  #pragma omp target enter data map(to: x[0:N])
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
    assert found[6] == "to 32 B"
    assert found[14] == "from 32 B"
    params = types.InlayHintParams(
        types.TextDocumentIdentifier(uri), types.Range(types.Position(10, 0), types.Position(11, 0))
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
        "text": "As it ran: in the construct of line 11, 3 of 3", "visit": 3, "visits": 3, "location": None,
    }  # fmt: skip
    assert answer["measured"]["location"]["range"]["start"]["line"] == 10
    (device,) = answer["devices"]
    assert device["title"] == "device 0, which runs here (host:0)"
    rows = {entry["label"]: (entry["certainty"], entry["measured"], entry["differs"]) for entry in device["entries"]}
    assert rows["x[0:N]"] == ("certain", "references: 2; 32 B; begins with 07 00 00 00 00 00 00 00 …", False)
    assert rows["p[0:n]"] == ("possible", "references: 1; 32 B", False)
    first = await environment(vscode, uri, "x[0]++", visit=1)
    assert first["measured"]["text"] == "As it ran: in the construct of line 11, 1 of 3"
    last = await environment(vscode, uri, "return x[0]")
    assert last["measured"]["text"] == "As it ran: after line 14"
    assert [entry["measured"] for device in last["devices"] for entry in device["entries"]] == ["references: 1; 32 B"]


async def test_of_a_long_run_the_first_events_are_beside(vscode: Editor, tmp_path: Path) -> None:
    path = tmp_path / "d.c"
    ended = await run(vscode, path, TEXT.replace("k < 3", "k < 40000"))
    assert ended["measured"] is True
    found = await hints(vscode, path.as_uri())
    assert (found[6], found[14]) == ("to 32 B", "from 32 B"), "of the whole run"
    inside = await environment(vscode, path.as_uri(), "x[0]++", visit=7)
    said = re.fullmatch(
        r"As it ran: in the construct of line 11, 7 of (3\d{4}) in the first (\d+),(\d+) events",
        inside["measured"]["text"],
    )
    assert said is not None
    assert 99_900 < int(said[2] + said[3]) <= 100_000
    assert inside["measured"]["visits"] == int(said[1])
    (device,) = inside["devices"]
    rows = {entry["label"]: entry["measured"] for entry in device["entries"]}
    assert rows["x[0:N]"].startswith("references: 2; 32 B; begins with 07 00 00 00")
    last = await environment(vscode, path.as_uri(), "return x[0]")
    assert (last["measured"]["visit"], last["measured"]["visits"]) == (0, 0)
    assert last["measured"]["text"].startswith("The run came by line 14 after the first ")
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


MACRO = """#define N 100
void up(double *q) {
  #pragma omp target enter data map(to: q[0:N])
}
double g; double a[4], b[4], c[8];
#pragma omp declare target (g)
int main(void) {
  double p[100], r[100];
  up(p);
  up(r);
  #pragma omp target enter data map(to: a, b, c[0:4])
  #pragma omp target map(p, r, a)
  g = p[3] = r[1];
  return 0;
}
"""
P, R, A, B, C, G = 0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000


def entered(line: int, item: str, host: int, size: int, references: int = 1) -> dict[str, Any]:
    return {
        "t": host, "kind": "map_enter", "device": "host:0", "region": f"x.c:{line}", "var": item, "host": hex(host),
        "bytes": size, "refcount": references,
    }  # fmt: skip


RAN = [
    entered(3, "q[0:N]", R, 800), entered(3, "q[0:N]", P, 800), entered(11, "a", A, 32), entered(11, "c[0:4]", C, 16),
    entered(12, "p", P, 800, 2), entered(12, "r", R, 800, 3), entered(12, "a", A, 32, 2), entered(12, "g", G, 8, -1),
    entered(12, "more", 0x7000, 4), {"t": 1, "kind": "launch", "device": "host:0", "region": "x.c:12"},
]  # fmt: skip


def shown_beside(text: str, ran: list[dict[str, Any]], needle: str) -> list[dict[str, Any]]:
    """The entries of the only device at a line, after a run with these events."""
    tu, lines = unit(text), LineIndex(text.encode())
    opened: Any = SimpleNamespace(
        measured=(1, Measured((), tuple(ran), tuple(rows(ran)))),
        context=SimpleNamespace(client=SimpleNamespace(encoding="utf-8")),
        places=lambda result: Places("x.c", lines, "utf-8", str, lambda path: b""),
    )
    position = {"line": text[: text.index(needle)].count("\n"), "character": 2}
    (device,) = answer(opened, Result(1, 1, tu, lines, None, 0.0), {"position": position})["devices"]
    entries: list[dict[str, Any]] = device["entries"]
    return entries


async def test_rows_of_a_run_are_found_by_their_storage() -> None:
    """Not by how list items are spelled: a macro, or a parameter that stands for two arrays."""
    entries = shown_beside(MACRO, RAN, "g = p")
    assert {(e["name"], e["section"]): (e["measured"], e["differs"]) for e in entries} == {
        ("p", "q[0:N]"): ("references: 2; 800 B", False),
        ("r", "q[0:N]"): ("references: 3; 800 B", True),  # another count
        ("a", "a"): ("references: 2; 32 B", False),
        ("b", "b"): ("not there", True),
        ("c", "c[0:4]"): ("references: 1; 16 B", True),  # less than that
        ("g", ""): ("for ever; 8 B", False),
        ("more", "more"): ("references: 1; 4 B", True),
    }
    assert entries[-1]["detail"] == "not predicted"


PLATES = """#include <stdlib.h>
int main(void) {
  double *p[2];
  for (int k = 0; k < 2; k++)
    p[k] = malloc(4 * sizeof(double));
  double *now = p[0], *next = p[1];
  #pragma omp target enter data map(to: now[0:4], next[0:4])
  return 0;
}
"""


async def test_what_stands_for_several_pieces_of_storage_has_all_their_rows() -> None:
    entries = shown_beside(PLATES, [entered(7, "now[0:4]", P, 32), entered(7, "next[0:4]", R, 32)], "return")
    assert [(e["section"], e["detail"].partition(";")[0], e["differs"]) for e in entries] == [
        ("now[0:4]", "possible", False), ("next[0:4]", "one of those that now[0:4] stands for", False),
    ]  # fmt: skip
