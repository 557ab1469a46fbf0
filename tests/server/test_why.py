"""`ompls/whyNoAnswer`: what the server adds to what the unit says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .conftest import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = '#include "gone.h"\nvoid f(int n) {\n#pragma omp target map(tofrom: n)\n  n++;\n}\n'


async def why(editor: Editor, uri: str, needle: str) -> Any:
    at = editor.at(uri, needle)
    params = {"textDocument": {"uri": uri}, "position": {"line": at.line, "character": at.character}}
    return await editor.client.protocol.send_request_async("ompls/whyNoAnswer", params)


async def test_flags_headers_and_the_version_are_named(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "compile_flags.txt").write_text("-DWIDTH=3\n")
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TEXT)
    await editor.shows(uri, ["missing-include"])
    answer = await why(editor, uri, "n++")
    by_topic = {r["topic"]: r for r in answer["reasons"]}
    assert "gone.h" in by_topic["header"]["text"]
    assert by_topic["header"]["location"]["uri"] == uri
    assert "`-DWIDTH=3`" in by_topic["flags"]["text"]
    assert str(tmp_path / "compile_flags.txt") in by_topic["flags"]["text"]
    assert "OpenMP 5.2" in by_topic["tier"]["text"]
    assert by_topic["region"]["text"].startswith("This is region `f_0`")
    decisive = [r["decisive"] for r in answer["reasons"]]
    assert decisive == sorted(decisive, reverse=True)
    assert "gone.h" in answer["markdown"]


async def test_a_document_that_is_not_open_is_refused(editor: Editor) -> None:
    with pytest.raises(JsonRpcException, match="not open here"):
        await editor.client.protocol.send_request_async("ompls/whyNoAnswer", {"textDocument": {"uri": "file:///x.c"}})


async def test_the_command_shows_the_page(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TEXT)
    argument = {"uri": uri, "position": {"line": 3, "character": 2}}
    made = await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams(command="ompls.whyNoAnswer", arguments=[argument])
    )
    assert "# a.c, line 4" in str(made)
    assert any(method == "window/showMessage" for method, _ in editor.notified)


async def test_inactive_branches_are_told_to_those_who_dim_them(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, "#if 0\nint a;\n#endif\nint b;\n")
    await editor.diagnostics(uri)

    def told() -> list[list[tuple[int, int]]]:
        told = [p for method, p in editor.notified if method == "ompls/inactiveRegions"]
        found = [p for p in told if p["textDocument"]["uri"] == uri]
        return [[(r["start"]["line"], r["end"]["line"]) for r in p["regions"]] for p in found]

    if editor.name != "vscode":
        assert told() == []
        return
    assert told() == [[(1, 2)]]
    editor.replace(uri, "int b", "int c")
    await editor.diagnostics(uri)
    assert told() == [[(1, 2)]]  # nothing new
    editor.replace(uri, "#if 0", "#if 1")
    await editor.diagnostics(uri)
    assert told() == [[(1, 2)], []]
