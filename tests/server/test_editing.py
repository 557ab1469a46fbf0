"""Cursors in pragmas, as VS Code and Neovim ask about them over stdio."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from ompls.server.answers import METHODS

from .conftest import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = """\
void f(int n, float *x, float *y) {
  float a[9]; /* \U0001f600 \u00e4 */ int k = 1;
  #pragma omp target teams distribute parallel for \\
      map(to: x[0:n]) map(tofrom: y)
  for (int i = 0; i < n; i++) {
    y[i] += x[i] + a[0] + k;
  }
}
"""


@pytest.fixture
def uri(editor: Editor, tmp_path: Path) -> str:
    name = (tmp_path / "a.c").as_uri()
    editor.open(name, TEXT)
    return name


def document(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri)


async def ask(  # noqa: PLR0917 - a request is all of these
    editor: Editor, method: str, kind: Any, uri: str, needle: str, after: bool = False, **more: Any
) -> Any:
    """Send a request about the place of `needle` (or just after it)."""
    offset = len(editor.texts[uri][: editor.texts[uri].index(needle)].encode()) + (len(needle.encode()) if after else 0)
    position = editor.position(uri, offset)
    return await editor.request(f"textDocument/{method}", kind(text_document=document(uri), position=position, **more))


async def proposals(editor: Editor, uri: str, needle: str) -> dict[str, types.CompletionItem]:
    found = await ask(editor, "completion", types.CompletionParams, uri, needle, after=True)
    return {item.label: item for item in found or ()}


async def test_clauses_and_sections_are_proposed(editor: Editor, uri: str) -> None:
    editor.replace(uri, "map(tofrom: y)", "map(tofrom: ")
    found = await proposals(editor, uri, "map(tofrom: ")
    assert {"y[0:n]", "a", "k"} <= set(found)
    assert "x[0:n]" not in found
    editor.replace(uri, "map(tofrom: ", "de")
    found = await proposals(editor, uri, ") de")
    assert {"device", "defaultmap", "depend"} <= set(found)
    edit = found["device"].text_edit
    assert isinstance(edit, types.TextEdit)
    assert editor.under(uri, edit.range) == "de"
    snippets = editor.name == "vscode" or found["device"].insert_text_format == types.InsertTextFormat.Snippet
    assert edit.new_text == ("device($0)" if snippets else "device(")


async def test_no_list_comes_by_itself_where_the_pragma_may_end(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "typed.c").as_uri()
    editor.open(uri, "void f(int n) {\n#pragma omp target \n  n++;\n#pragma omp target update \n}\n")
    by_itself = types.CompletionContext(types.CompletionTriggerKind.TriggerCharacter, " ")
    for place, comes in (("target ", False), ("update ", True)):
        asked = (editor, "completion", types.CompletionParams, uri, place)
        assert bool(await ask(*asked, after=True, context=by_itself)) == comes
        assert await ask(*asked, after=True, context=types.CompletionContext(types.CompletionTriggerKind.Invoked))


async def test_a_blank_closes_a_list_that_is_open(editor: Editor, tmp_path: Path) -> None:
    """VS Code goes on with the words that match all of what was typed since: `target teams` behind `target `."""
    uri = (tmp_path / "open.c").as_uri()
    editor.open(uri, "void f(int n) {\n#pragma omp tar\n  n++;\n}\n")
    found = await proposals(editor, uri, "omp tar")
    assert not [label for label, item in found.items() if " " in (item.filter_text or label)]
    assert found["target teams"].filter_text == "targetteams"


async def test_an_editor_that_sorts_proposals_keeps_their_order(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "sorted.c").as_uri()
    editor.open(uri, "void f(int n, double *a) {\n#pragma omp target map(\n  a[n] = 1;\n}\n")
    found = list((await proposals(editor, uri, "map(")).values())
    assert [item.label for item in found][:4] == ["to", "tofrom", "from", "alloc"]
    assert sorted(found, key=lambda item: item.sort_text or "") == found


async def test_a_macro_that_makes_pragmas_is_completed_as_they_are(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "macro.c").as_uri()
    lines = TEXT.splitlines(keepends=True)
    lines[2:4] = ["  OMP(omp target map(to: ))\n"]
    editor.open(uri, "#define OMP(x) _Pragma(#x)\n" + "".join(lines))
    found = await proposals(editor, uri, "OMP(omp target map(to: ")
    assert {"x[0:n]", "y[0:n]"} <= set(found)
    assert await ask(editor, "signatureHelp", types.SignatureHelpParams, uri, "map(to: ", after=True)
    hover = await ask(editor, "hover", types.HoverParams, uri, "target map")
    assert "Since OpenMP 4.0" in hover.contents.value


async def test_nothing_is_said_outside_of_pragmas_and_constructs(editor: Editor, uri: str) -> None:
    for needle in ("y[i]", "int k"):
        assert not await proposals(editor, uri, needle)
        assert await ask(editor, "signatureHelp", types.SignatureHelpParams, uri, needle) is None
        inside = needle == "y[i]"
        assert bool(await ask(editor, "definition", types.DefinitionParams, uri, needle)) is inside
        assert bool(await ask(editor, "documentHighlight", types.DocumentHighlightParams, uri, needle)) is inside
        assert bool(await ask(editor, "prepareRename", types.PrepareRenameParams, uri, needle)) is inside


async def test_signature(editor: Editor, uri: str) -> None:
    found = await ask(editor, "signatureHelp", types.SignatureHelpParams, uri, "map(to: ", after=True)
    (signature,) = found.signatures
    assert signature.label.startswith("map(")
    label = signature.parameters[found.active_parameter].label
    assert label == "list" or signature.label[slice(*label)] == "list"


async def test_reference_counts_are_shown(editor: Editor, tmp_path: Path) -> None:
    name = (tmp_path / "counts.c").as_uri()
    text = "int main(void) {\n  int a[9] = {0};\n#pragma omp target enter data map(to: a)\n"
    editor.open(name, text + "#pragma omp target exit data map(from: a)\n}\n")
    whole = types.Range(types.Position(0, 0), types.Position(9, 0))
    hints = await editor.request("textDocument/inlayHint", types.InlayHintParams(document(name), whole))
    assert [(h.position.line, h.label) for h in hints] == [(2, "a 0→1"), (3, "a 1→0")]


async def test_implicit_data_is_shown_after_the_pragma(editor: Editor, uri: str) -> None:
    whole = types.Range(types.Position(0, 0), types.Position(8, 0))
    hints = await editor.request(
        "textDocument/inlayHint", types.InlayHintParams(text_document=document(uri), range=whole)
    )
    (hint,) = hints
    assert "map(tofrom: a)" in hint.label
    assert "firstprivate(k" in hint.label or "firstprivate(n" in hint.label
    assert hint.position == editor.position(uri, len(TEXT[: TEXT.index("(tofrom: y)") + 11].encode()))


async def test_no_hint_is_drawn_into_what_is_typed(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "typed.c").as_uri()
    one = "#pragma omp target\n  a[0] += k;\n"
    editor.open(uri, "void f(int k) {\n  float a[9] = {0};\n" + one + one + "}\n")
    asked = types.InlayHintParams(document(uri), types.Range(types.Position(0, 0), types.Position(9, 0)))

    async def lines() -> list[int]:
        return [hint.position.line for hint in await editor.request("textDocument/inlayHint", asked)]

    def refreshed() -> int:
        return len([method for method, _ in editor.requested if method == "workspace/inlayHint/refresh"])

    assert await lines() == [2, 4]
    takes_refreshes = editor.name != "emacs"
    for typed in ("te", "tea", "team", "teams"):
        before = refreshed()
        editor.replace(uri, "target" if typed == "te" else f"target {typed[:-1]}", f"target {typed}")
        if (shown := await lines()) == [4]:
            break  # else the answer took longer than somebody is taken to type
    assert shown == ([4] if takes_refreshes else [2, 4])
    if takes_refreshes:
        seen = before
        while await lines() != [2, 4]:  # a refresh may be for another document
            await editor.until(lambda seen=seen: refreshed() > seen)
            seen = refreshed()
    editor.replace(uri, f"target {typed}\n", "target \n")
    editor.replace(uri, "a[0] += k", "a[1] += k")
    assert await lines() == [2, 4]


async def test_tokens_cover_their_words(editor: Editor, uri: str) -> None:
    found = await editor.request("textDocument/semanticTokens/full", types.SemanticTokensParams(document(uri)))
    legend = editor.result.capabilities.semantic_tokens_provider.legend.token_types
    line = column = 0
    words = []
    for at in range(0, len(found.data), 5):
        down, right, length, kind, _ = found.data[at : at + 5]
        line, column = line + down, right + (0 if down else column)
        range_ = types.Range(types.Position(line, column), types.Position(line, column + length))
        words.append((editor.under(uri, range_), legend[kind]))
    assert ("target", "keyword") in words
    assert ("map", "function") in words
    assert ("tofrom", "modifier") in words
    assert [w for w, k in words if k == "variable"] == ["x", "n", "y"]
    range_ = types.Range(types.Position(0, 0), types.Position(1, 0))
    params = types.SemanticTokensRangeParams(text_document=document(uri), range=range_)
    assert (await editor.request("textDocument/semanticTokens/range", params)).data == ()


async def test_variables_are_found_and_renamed(editor: Editor, uri: str) -> None:
    (declared,) = await ask(editor, "definition", types.DefinitionParams, uri, "x[0:n]")
    assert (declared.uri, editor.under(uri, declared.range)) == (uri, "x")
    context = types.ReferenceContext(include_declaration=True)
    uses = await ask(editor, "references", types.ReferenceParams, uri, "x[0:n]", context=context)
    assert [u.range.start.line for u in uses] == [0, 3, 5]
    assert len(await ask(editor, "documentHighlight", types.DocumentHighlightParams, uri, "x[0:n]")) == 3
    prepared = await ask(editor, "prepareRename", types.PrepareRenameParams, uri, "x[0:n]")
    assert (prepared.placeholder, editor.under(uri, prepared.range)) == ("x", "x")
    renamed = await ask(editor, "rename", types.RenameParams, uri, "x[0:n]", new_name="values")
    changes = renamed.document_changes[0].edits if renamed.document_changes else renamed.changes[uri]
    assert [(editor.under(uri, e.range), e.new_text) for e in changes] == [("x", "values")] * 3


async def test_a_rename_that_would_be_wrong_is_refused(editor: Editor, uri: str) -> None:
    with pytest.raises(Exception, match="already means something"):
        await ask(editor, "rename", types.RenameParams, uri, "x[0:n]", new_name="a")
    for needle in ("x, float", "int k"):  # above the pragma
        with pytest.raises(Exception, match="there is no variable of a pragma"):
            await ask(editor, "rename", types.RenameParams, uri, needle, new_name="other")


async def test_folds_and_selections(editor: Editor, uri: str) -> None:
    folds = await editor.request("textDocument/foldingRange", types.FoldingRangeParams(document(uri)))
    assert {(f.start_line, f.end_line) for f in folds} == {(0, 6), (2, 3), (2, 6), (4, 5)}
    position = editor.at(uri, "x[0:n]")
    params = types.SelectionRangeParams(document(uri), [position])
    (found,) = await editor.request("textDocument/selectionRange", params)
    grown = []
    while found is not None:
        grown.append(editor.under(uri, found.range))
        found = found.parent
    assert grown[:4] == ["x", "x[0:n]", "to: x[0:n]", "map(to: x[0:n])"]
    nowhere = types.Position(0, 3)
    both = types.SelectionRangeParams(document(uri), [nowhere, position])
    empty, inside = await editor.request("textDocument/selectionRange", both)
    assert (empty.range, empty.parent) == (types.Range(nowhere, nowhere), None)
    assert editor.under(uri, inside.range) == "x"
    outside = types.SelectionRangeParams(document(uri), [nowhere])
    assert await editor.request("textDocument/selectionRange", outside) is None


NESTED = """\
void f(int *x, int n)
{
    #pragma omp target data map(tofrom: x[0:n])
    {
        #pragma omp target
        x[0] = 1;
    }
    #pragma omp target map(x[0:n])
    x[1] = 1;
}
"""


async def test_symbols_are_nested_as_regions_are(one_vscode: Editor, tmp_path: Path) -> None:
    editor, uri = one_vscode, (tmp_path / "nested.c").as_uri()
    editor.open(uri, NESTED)

    def names(symbols: Sequence[types.DocumentSymbol]) -> list[object]:
        for s in symbols:
            assert s.range.start <= s.selection_range.start
            assert s.selection_range.end <= s.range.end
        return [[s.name, *names(s.children or ())] for s in symbols]

    found = await editor.request("textDocument/documentSymbol", types.DocumentSymbolParams(document(uri)))
    assert names(found) == [["f", ["target data", ["target (f_0)"]], ["target (f_1)"]]]


async def test_hints_and_tokens_can_be_switched_off(one_vscode: Editor, tmp_path: Path) -> None:
    editor, name = one_vscode, (tmp_path / "off.c").as_uri()
    editor.settings = {"inlay": {"implicit": False}, "tokens": {"enable": False}}
    changed = types.DidChangeConfigurationParams(settings=None)
    editor.client.workspace_did_change_configuration(changed)
    editor.open(name, TEXT)
    whole = types.Range(types.Position(0, 0), types.Position(8, 0))
    for _ in range(50):
        hints = await editor.request(
            "textDocument/inlayHint", types.InlayHintParams(text_document=document(name), range=whole)
        )
        if not hints:
            break
    assert not hints
    assert await editor.request("textDocument/semanticTokens/full", types.SemanticTokensParams(document(name))) is None


async def test_every_method_is_documented() -> None:
    manual = (Path(__file__).parents[2] / "docs" / "editor.md").read_text("utf-8")
    own = [method for method in METHODS if method.startswith("textDocument/") and "," not in method]
    assert not [method for method in own if f"`{method}`" not in manual]


async def test_accepting_a_hint_writes_what_it_shows(editor: Editor, tmp_path: Path) -> None:
    name = (tmp_path / "accepted.c").as_uri()
    before = "void f(int k) {\n  float a[9] = {0};\n  #pragma omp target // é\n  a[0] += k;\n  a[1]++;\n}\n"
    editor.open(name, before)
    await editor.shows(name, [])
    whole = types.Range(types.Position(0, 0), types.Position(6, 0))
    asked = types.InlayHintParams(document(name), whole)
    (hint,) = await editor.request("textDocument/inlayHint", asked)
    assert hint.text_edits is None
    (edit,) = (await editor.request("inlayHint/resolve", hint)).text_edits
    assert (edit.range.start.line, edit.range.end.line) == (2, 2)
    assert "map(tofrom: a)" in edit.new_text
    assert "firstprivate(k)" in edit.new_text
    written = before.replace("target //", f"target {edit.new_text.strip()} //")
    editor.change(name, [types.TextDocumentContentChangeWholeDocument(written)])
    assert not await editor.request("textDocument/inlayHint", asked)
    late = await editor.request("inlayHint/resolve", hint)  # of a text that is gone
    assert late.text_edits is None
    assert late.label == hint.label


async def test_tokens_come_as_differences(editor: Editor, tmp_path: Path) -> None:
    name = (tmp_path / "tokens.c").as_uri()
    before = "void f(int n) {\n" + "#pragma omp target map(tofrom: n)\n  n++;\n" * 9 + "}\n"
    editor.open(name, before)
    sent = await editor.request("textDocument/semanticTokens/full", types.SemanticTokensParams(document(name)))
    sizes = []
    for after in (
        before.replace("  n++;\n#", "  n++;\n#pragma omp barrier\n#", 1),
        before + "#pragma omp declare target\n",
        before.replace("#pragma omp target map(tofrom: n)\n", "", 3),
        "",
        before,
    ):
        editor.change(name, [types.TextDocumentContentChangeWholeDocument(after)])
        delta = types.SemanticTokensDeltaParams(document(name), sent.result_id)
        changed = await editor.request("textDocument/semanticTokens/full/delta", delta)
        fresh = await editor.request("textDocument/semanticTokens/full", types.SemanticTokensParams(document(name)))
        data = list(sent.data)
        for edit in changed.edits:
            data[edit.start : edit.start + edit.delete_count] = edit.data or []
        assert data == list(fresh.data)
        sizes.append(sum(len(edit.data or []) for edit in changed.edits))
        sent = fresh
    assert sizes[0] == 3 * 5  # two new words behind a third one that is new there
    unknown = types.SemanticTokensDeltaParams(document(name), "unknown")
    assert (await editor.request("textDocument/semanticTokens/full/delta", unknown)).data == sent.data


async def test_columns_behind_wide_characters_and_lines_that_end_twice(editor: Editor, tmp_path: Path) -> None:
    name = (tmp_path / "wide.c").as_uri()
    wide = "/* \U0001f600 \u00e4 */"
    pragma = f"{wide} #pragma omp target {wide} map(to: x[0:n]) \\\r\n   map(from: {wide} y"
    editor.open(name, f"void f(int n, float *x, float *y) {{\r\n{pragma})\r\n  y[n] = x[n];\r\n}}\r\n")
    found = await proposals(editor, name, "*/ map(to: ")
    assert "x" in found  # its section stands there already
    item = (await proposals(editor, name, f"map(from: {wide} y"))["y[0:]"]
    assert editor.under(name, item.text_edit.range) == "y"
    hovered = await ask(editor, "hover", types.HoverParams, name, "x[0:n]")
    assert "float *x" in hovered.contents.value
    assert editor.under(name, hovered.range) == "x"
    renamed = await ask(editor, "rename", types.RenameParams, name, "x[0:n]", new_name="in")
    changes = renamed.document_changes[0].edits if renamed.document_changes else renamed.changes[name]
    assert {editor.under(name, edit.range) for edit in changes} == {"x"}


async def test_requests_about_nothing_are_answered_with_nothing(editor: Editor, tmp_path: Path) -> None:
    name, gone = (tmp_path / "short.c").as_uri(), (tmp_path / "gone.c").as_uri()
    editor.open(name, "#pragma omp ")
    editor.open(gone, TEXT)
    editor.close(gone)
    for at in (types.Position(0, 99), types.Position(99, 0), types.Position(99, 99)):
        found = await editor.request("textDocument/completion", types.CompletionParams(document(name), at))
        assert found is None or len(found) > 5
        assert not await editor.request("textDocument/completion", types.CompletionParams(document(gone), at))
        assert await editor.request("textDocument/hover", types.HoverParams(document(gone), at)) is None
        assert not await editor.request("textDocument/definition", types.DefinitionParams(document(name), at))
    delta = types.SemanticTokensDeltaParams(document(gone), "1")
    assert await editor.request("textDocument/semanticTokens/full/delta", delta) is None
    hint = types.InlayHint(types.Position(0, 0), "x", data={"uri": gone, "version": 1, "offset": 3})
    assert (await editor.request("inlayHint/resolve", hint)).text_edits is None
    hint.data = {"uri": name, "version": 1, "offset": 10_000}
    assert (await editor.request("inlayHint/resolve", hint)).text_edits is None
    hint.data = "other"
    assert (await editor.request("inlayHint/resolve", hint)).text_edits is None
