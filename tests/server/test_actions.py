"""Code actions: fixes, fixes of many, comments that silence; each makes of the text what its title says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from .conftest import Editor
from .test_editors import MISTAKE, edits_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

TWO = MISTAKE + MISTAKE.replace("saxpy", "again")


async def offered(editor: Editor, uri: str, at: types.Range, *only: str) -> dict[str, Any]:
    """The actions by title."""
    context = types.CodeActionContext([], only=list(only) or None)
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), at, context)
    actions = await editor.client.text_document_code_action_async(params)
    return {action.title: action for action in actions or ()}


def apply(editor: Editor, uri: str, action: Any) -> None:
    """Make the edits as an editor does: all of them are meant for the text as it was."""
    edits = edits_of(action, uri, editor)
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        text = editor.texts[uri]
        start, end = (_offset(editor, uri, p) for p in (edit.range.start, edit.range.end))
        data = text.encode()
        editor.texts[uri] = (data[:start] + edit.new_text.encode() + data[end:]).decode()
    editor.change(uri, [types.TextDocumentContentChangeWholeDocument(editor.texts[uri])])


def _offset(editor: Editor, uri: str, position: types.Position) -> int:
    from ompls.analysis.text import LineIndex

    return LineIndex(editor.texts[uri].encode()).offset(position.line, position.character, editor.encoding)


async def test_all_of_a_rule_can_be_fixed_at_once(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TWO)
    shown = (await editor.shows(uri, ["unknown-directive"] * 2))[0]
    actions = await offered(editor, uri, shown.range, "quickfix")
    apply(editor, uri, actions["Fix all `unknown-directive` in this file"])
    assert "tarrget" not in editor.texts[uri]
    await editor.shows(uri, [])


async def test_a_diagnostic_links_to_its_manual_page(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TWO)
    shown = (await editor.shows(uri, ["unknown-directive"] * 2))[0]
    if editor.name == "vscode":
        assert (await editor.content(shown.code_description.href)).startswith("# unknown-directive")
    else:  # the documentation has no site yet, so it stands in the hover
        assert shown.code_description is None
        params = types.HoverParams(types.TextDocumentIdentifier(uri), shown.range.start)
        hover = await editor.client.text_document_hover_async(params)
        assert hover is not None
        assert "# unknown-directive" in hover.contents.value  # type: ignore[union-attr]


async def test_fix_all_is_offered_where_it_is_asked_for(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TWO)
    shown = (await editor.shows(uri, ["unknown-directive"] * 2))[0]
    for asked in ("source.fixAll.ompls", "source.fixAll", "source"):
        actions = await offered(editor, uri, shown.range, asked)
        assert [action.kind for action in actions.values()] == ["source.fixAll.ompls"]
    assert "source.fixAll.ompls" not in {a.kind for a in (await offered(editor, uri, shown.range)).values()}
    assert not await offered(editor, uri, shown.range, "refactor.inline")
    (action,) = actions.values()
    apply(editor, uri, action)
    await editor.shows(uri, [])
    assert not await offered(editor, uri, shown.range, "source.fixAll")


@pytest.mark.parametrize("place", ["here", "in this file"])
async def test_a_diagnostic_can_be_silenced(editor: Editor, tmp_path: Path, place: str) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TWO)
    shown = (await editor.shows(uri, ["unknown-directive"] * 2))[0]
    actions = await offered(editor, uri, shown.range)
    apply(editor, uri, actions[f"Silence unknown-directive {place}"])
    await editor.shows(uri, ["unknown-directive"] if place == "here" else [])


async def test_two_diagnostics_of_a_line_are_silenced_at_once(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, "void f(void) {\n#pragma omp target foo bar\n{}\n}\n")
    shown = (await editor.shows(uri, ["unknown-clause"] * 2))[0]
    context = types.CodeActionContext(diagnostics=[], only=["quickfix"])
    asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), shown.range, context)
    answer = await editor.client.text_document_code_action_async(asked)
    (action,) = [a for a in answer or [] if a.title == "Silence unknown-clause here"]
    assert isinstance(action, types.CodeAction)
    assert len(action.diagnostics or []) == 2
    apply(editor, uri, action)
    await editor.shows(uri, [])


async def test_what_the_front_end_says_can_be_silenced(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, '#include "not_there.h"\nint x;\n')
    (shown,) = await editor.shows(uri, ["missing-include"])
    actions = await offered(editor, uri, shown.range)
    apply(editor, uri, actions["Silence missing-include here"])
    await editor.shows(uri, [])


UNREADY = """\
int f(void) {
    int a[8];
#pragma omp target teams distribute parallel for map(from : a)
    for (int i = 0; i < 8; i++) a[i] += 1;
    return a[0];
}
"""


async def test_a_fix_that_makes_something_else_wrong_is_not_offered(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, UNREADY)
    (shown,) = await editor.shows(uri, ["from-read-before-write"])
    assert "Map `a` tofrom" not in await offered(editor, uri, shown.range)
    editor.replace(uri, "int a[8];", "int a[8] = {0};")
    (shown,) = await editor.shows(uri, ["from-read-before-write"])
    assert "Map `a` tofrom" in await offered(editor, uri, shown.range)


TWO_IN_A_LINE = """\
void f(int n, int b) {
#pragma omp target mapp(to: n) privatte(b)
    ;
}
"""


async def test_the_fixes_of_what_is_asked_for_come_first_and_are_preferred(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, TWO_IN_A_LINE)
    shown = await editor.shows(uri, ["unknown-clause"] * 2)
    for one, title in zip(
        sorted(shown, key=lambda d: d.range.start.character), ("Change to `map`", "Change to `private`"), strict=True
    ):
        line = types.Range(types.Position(1, 0), types.Position(1, 99))
        for at, context in ((line, [one]), (one.range, [])):
            asked = types.CodeActionContext(diagnostics=context, only=["quickfix"])
            params = types.CodeActionParams(types.TextDocumentIdentifier(uri), at, asked)
            answer = await editor.client.text_document_code_action_async(params) or []
            made = [a for a in answer if isinstance(a, types.CodeAction)]
            assert made[0].title == title
            assert [a.title for a in made if a.is_preferred] == [title]
