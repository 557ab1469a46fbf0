"""Refactorings as code actions, in each editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT
from ompls.analysis.text import LineIndex
from ompls.server.actions import Actions
from ompls.server.client import Client
from ompls.server.messages import Context, Open
from ompls.server.opened import Opened, Result
from ompls.server.refactorings import refactorings
from ompls.server.settings import Settings

from .conftest import Editor
from .test_editors import edits_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = """\
void f(int n, float *x, float *y) {
  /* \U0001f600 \u00e4 */
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    y[i] += x[i];
}
"""
TITLE = "Write all map clauses of this region"


async def actions(editor: Editor, uri: str, needle: str, only: str = "refactor") -> list[types.CodeAction]:
    at = editor.at(uri, needle)
    context = types.CodeActionContext([], only=[types.CodeActionKind(only)])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), types.Range(at, at), context)
    found = await editor.client.text_document_code_action_async(params)
    return [a for a in found or () if isinstance(a, types.CodeAction)]


async def test_all_maps_are_written(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TEXT)
    await editor.diagnostics(uri)
    (action,) = [a for a in await actions(editor, uri, "target teams") if a.title == TITLE]
    (edit,) = edits_of(action, uri, editor)
    assert editor.under(uri, edit.range) == ""
    assert edit.new_text == " map(to: x[0:n]) map(tofrom: y[0:n])"
    editor.replace(uri, "parallel for", "parallel for" + edit.new_text)
    await editor.diagnostics(uri)
    assert TITLE not in [a.title for a in await actions(editor, uri, "target teams")]


async def test_why_there_is_nothing_to_write_is_said(editor: Editor, tmp_path: Path) -> None:
    """Where the editor shows such actions."""
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TEXT.replace("y[i] +=", "y[(int) y[i]] =").replace("x[i];", "1;"))
    await editor.diagnostics(uri)
    found = [a for a in await actions(editor, uri, "target teams") if a.title == TITLE]
    if editor.name == "vscode":  # the only one that says so
        (action,) = found
        assert action.edit is None
        assert action.disabled is not None
        assert "`y`: which of its elements are used depends on data" in action.disabled.reason
    else:
        assert not found


async def test_nothing_is_offered_outside_of_pragmas_or_unasked(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TEXT)
    await editor.diagnostics(uri)
    assert not await actions(editor, uri, "y[i]")
    assert TITLE not in [a.title for a in await actions(editor, uri, "target teams", "quickfix")]


async def test_what_cannot_be_done_before_the_headers_are_read_says_so() -> None:
    client = Client(disabled_actions=True)
    path, source = "/w/a.c", TEXT.encode()
    opened = Opened(Open("file:///w/a.c", path, 1, source, "utf-8", 1, Context(client), Settings()))
    tu = Analyzer().analyze(path, source, EMPTY_SNAPSHOT, Settings().for_analysis())
    result = Result(1, 1, tu, LineIndex(source), [], 0.0)
    place = types.Position(2, 12)
    offered = refactorings(Actions(opened, result, {}), types.Range(place, place))
    assert {action["title"]: action.get("disabled") for action in offered}[TITLE] == {
        "reason": "the headers are not read yet"
    }
    assert not any("edit" in action for action in offered)
