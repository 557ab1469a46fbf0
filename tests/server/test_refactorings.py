"""Refactorings as code actions, in each editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

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


async def test_nothing_is_offered_outside_of_pragmas_or_unasked(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TEXT)
    await editor.diagnostics(uri)
    assert not await actions(editor, uri, "y[i]")
    assert TITLE not in [a.title for a in await actions(editor, uri, "target teams", "quickfix")]
