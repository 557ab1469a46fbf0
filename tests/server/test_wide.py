"""`workspace/diagnostic`: files that are not open, over stdio as VS Code asks for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types

from .conftest import Editor

pytestmark = pytest.mark.asyncio(loop_scope="function")

RIGHT = "void f(int n) {\n#pragma omp target map(tofrom: n)\n  n++;\n}\n"
WRONG = RIGHT.replace("target", "tarrget")


@pytest_asyncio.fixture(loop_scope="function")
async def rooted(tmp_path: Path) -> AsyncIterator[tuple[Editor, Path]]:
    """VS Code in a workspace of three files, one of them with a mistake."""
    for name, text in (("a.c", RIGHT), ("b.c", WRONG), ("sub/c.c", RIGHT), (".hidden/d.c", WRONG)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    editor = Editor("vscode")
    await editor.start(root=tmp_path)
    yield editor, tmp_path
    await editor.stop()


def ask(editor: Editor, previous: dict[str, str], **more: Any) -> asyncio.Task[Any]:
    known = [types.PreviousResultId(uri, value) for uri, value in previous.items()]
    params = types.WorkspaceDiagnosticParams(known, **more)
    return asyncio.ensure_future(editor.client.workspace_diagnostic_async(params))


def shown(items: list[Any]) -> dict[str, list[str]]:
    return {Path(i.uri).name: [str(d.code) for d in i.items] for i in items}


async def test_files_that_are_not_open_are_checked(rooted: tuple[Editor, Path]) -> None:
    editor, root = rooted
    first = await asyncio.wait_for(ask(editor, {}), 60)
    assert shown(first.items) == {"b.c": ["unknown-directive"]}
    known = {i.uri: i.result_id for i in first.items}
    waiting = ask(editor, known)
    await asyncio.sleep(1)
    assert not waiting.done()  # nothing is new: it is held
    (root / "b.c").write_text(RIGHT)
    (root / "sub" / "c.c").write_text(WRONG)
    saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier((root / "b.c").as_uri()))
    editor.client.text_document_did_save(saved)
    second = await asyncio.wait_for(waiting, 60)
    assert shown(second.items) == {"b.c": [], "c.c": ["unknown-directive"]}


async def test_answers_come_one_by_one_and_open_files_are_left_to_their_editor(rooted: tuple[Editor, Path]) -> None:
    editor, root = rooted
    editor.open((root / "b.c").as_uri(), WRONG)
    (root / "a.c").write_text(WRONG)
    answer = await asyncio.wait_for(ask(editor, {}, partial_result_token="part", work_done_token="work"), 60)
    assert not answer.items
    parts = [p.value for method, p in editor.notified if method == "$/progress" and p.token == "part"]
    assert [Path(item["uri"]).name for part in parts for item in part["items"]] == ["a.c"]
    work = [p.value["kind"] for method, p in editor.notified if method == "$/progress" and p.token == "work"]
    assert work[0] == "begin"
    assert work[-1] == "end"


async def test_a_request_can_be_cancelled_and_a_setting_switches_it_off(rooted: tuple[Editor, Path]) -> None:
    editor, _ = rooted
    first = await asyncio.wait_for(ask(editor, {}), 60)
    known = [types.PreviousResultId(i.uri, i.result_id) for i in first.items]
    params = types.WorkspaceDiagnosticParams(known)
    waiting = editor.client.protocol.send_request("workspace/diagnostic", params, msg_id="wide")
    await asyncio.sleep(0.2)
    editor.client.protocol.notify("$/cancelRequest", types.CancelParams("wide"))
    with pytest.raises(Exception, match="ancel"):
        await asyncio.wait_for(asyncio.wrap_future(waiting), 30)
    editor.settings = {"diagnostics": {"workspaceFiles": 1}}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    gone = await asyncio.wait_for(ask(editor, {i.uri: i.result_id for i in first.items}), 60)
    assert shown(gone.items) == {"b.c": []}
