"""What a user sees, in each of three editors over stdio."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from .conftest import ALL_EDITORS, ENCODING, PULLS, Editor

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.parametrize("editor", ALL_EDITORS, indirect=True, scope="module"),
]

SAXPY = """\
void saxpy(int n, float a, float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0:n]) map(tofrom : y[0:n])
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];
}
"""
MISTAKE = SAXPY.replace("omp target", "omp tarrget")
WIDE = MISTAKE.replace("#pragma", "/* \U0001f600 \u00e4 */ #pragma")


async def test_the_encoding_is_the_editors_choice(editor: Editor) -> None:
    assert editor.result.capabilities.position_encoding == ENCODING[editor.name]


async def test_a_mistake_is_shown_where_it_is(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, WIDE)
    (shown,) = await editor.shows(uri, ["unknown-directive"])
    assert editor.under(uri, shown.range).startswith("tarrget")
    assert shown.source == "ompls"


async def test_typing_takes_a_mistake_away_and_brings_it_back(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, WIDE)
    await editor.shows(uri, ["unknown-directive"])
    editor.replace(uri, "tarrget", "target")
    await editor.shows(uri, [])
    editor.replace(uri, "target", "targt")
    await editor.shows(uri, ["unknown-directive"])


async def test_a_missing_header_is_a_hint_until_it_is_there(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, '#include "made_later.h"\n' + SAXPY)
    (shown,) = await editor.shows(uri, ["missing-include"])
    assert shown.severity == types.DiagnosticSeverity.Hint
    assert "made_later.h" in editor.under(uri, shown.range)
    (tmp_path / "made_later.h").write_text("\n")
    saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
    editor.client.text_document_did_save(saved)
    await editor.shows(uri, [])


async def test_diagnostics_come_one_way_only(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, MISTAKE)
    await editor.shows(uri, ["unknown-directive"])
    await editor.request("ompls/serverStatus", {})  # what it had to say before has come
    announced = editor.result.capabilities.diagnostic_provider is not None
    assert announced == PULLS[editor.name]
    assert bool(editor.published) == (not PULLS[editor.name])


async def test_a_quick_fix_repairs_the_text(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, WIDE)
    (shown,) = await editor.shows(uri, ["unknown-directive"])
    context = types.CodeActionContext([shown], only=[types.CodeActionKind.QuickFix])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), shown.range, context)
    actions = await editor.client.text_document_code_action_async(params)
    assert actions
    (change,) = edits_of(actions[0], uri, editor)
    editor.replace(uri, editor.under(uri, change.range), change.new_text)
    assert editor.texts[uri] == WIDE.replace("tarrget", "target")
    await editor.shows(uri, [])


def edits_of(action: Any, uri: str, editor: Editor) -> list[types.TextEdit]:
    """The edits of the one document; versioned where the editor takes that."""
    capabilities = editor.client.capabilities
    assert capabilities is not None
    versioned = capabilities.workspace.workspace_edit.document_changes  # type: ignore[union-attr]
    if not versioned:
        return list(action.edit.changes[uri])
    (change,) = action.edit.document_changes
    assert change.text_document.version == editor.versions[uri]
    return list(change.edits)


async def test_hover_says_how_a_variable_is_mapped(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, SAXPY)
    params = types.HoverParams(types.TextDocumentIdentifier(uri), editor.at(uri, "x[i]"))
    hover = await editor.client.text_document_hover_async(params)
    assert hover is not None
    assert "map" in hover.contents.value  # type: ignore[union-attr]
    nowhere = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(99, 0))
    assert await editor.client.text_document_hover_async(nowhere) is None


async def test_lenses_stand_over_the_region(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, SAXPY)
    lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    assert lenses is not None
    assert [(lens.command.title, lens.command.command) for lens in lenses if lens.command] == [
        ("Preview CUDA", "ompls.preview"),
        ("Run", "ompls.run"),
    ]
    assert {lens.range.start.line for lens in lenses} == {1}
    offered = editor.result.capabilities.execute_command_provider
    assert (offered is None) == (editor.name == "vscode")  # whose extension runs them itself


async def test_a_preview_is_the_kernel(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a b.c").as_uri()
    editor.open(uri, SAXPY)
    made = await editor.request("ompls/preview", {"textDocument": {"uri": uri}, "region": "saxpy_0"})
    assert made["uri"] == f"ompls-preview://cuda{uri.removeprefix('file://')}/saxpy_0.cu"
    assert made["languageId"] == "cuda-cpp"
    assert "__global__" in made["text"]
    assert "a * x[i] + y[i]" in made["text"]
    lines, source = made["text"].split("\n"), SAXPY.split("\n")
    statement = "y[i] = a * x[i] + y[i];"
    pairs = [(lines[p - 1].strip(), source[s - 1].strip()) for p, s in made["lineMap"] if p <= len(lines)]
    assert (statement, statement) in pairs


async def test_a_preview_is_of_the_region_under_the_cursor(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, SAXPY + SAXPY.replace("saxpy", "other"))
    places = (
        (0, "saxpy_0", False), (1, "saxpy_0", True), (3, "saxpy_0", True), (4, "saxpy_0", False), (5, "saxpy_0", False),
        (8, "other_0", True), (99, "other_0", False),
    )  # fmt: skip
    for line, region, held in places:
        position = {"line": line, "character": 0}
        made = await editor.request("ompls/preview", {"textDocument": {"uri": uri}, "position": position})
        assert (made["region"], made["held"]) == (region, held)
    for params, held in (({}, False), ({"region": "other_0"}, True)):
        assert (await editor.request("ompls/preview", {"textDocument": {"uri": uri}, **params}))["held"] == held


REFUSED = """\
// cuda cannot run f_0: a.c:2: target
//
// a.c:3: the type `long double` cannot run on cuda: a GPU has no number of its size
//     { long double y = x[0]; x[0] = y / 3; }
//     rule: device-type
//
// What to do instead:
// * Change this; the preview then shows the kernel.
// * Read 'ompls explain device-type', which has examples.
// * Run it on another device: host, mpinode can run this region.
// * Leave it to the host: write 'if(0)' on the directive in a.c, and no device gets the region.
"""


async def test_a_region_that_cannot_be_translated_says_why(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    text = "void f(int n, int *x) {\n#pragma omp target map(x[0:n])\n  { long double y = x[0]; x[0] = y / 3; }\n}\n"
    editor.open(uri, text)
    made = await editor.request("ompls/preview", {"textDocument": {"uri": uri}, "region": "f_0"})
    assert made["text"] == REFUSED
    assert made["diagnostics"]


async def test_while_the_source_does_not_parse_the_last_kernel_stays(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, SAXPY)
    asked = {"textDocument": {"uri": uri}, "region": "saxpy_0"}
    before = await editor.request("ompls/preview", asked)
    editor.replace(uri, "+ y[i];", "+ ;")
    broken = await editor.request("ompls/preview", asked)
    banner, _, text = broken["text"].partition("\n")
    assert banner == "// the source does not parse (line 4: syntax error): this is the last kernel before that."
    assert (text, broken["stale"]) == (before["text"], True)
    assert broken["lineMap"] == [[line + 1, source] for line, source in before["lineMap"]]
    editor.replace(uri, "+ ;", "+ 1;")
    after = await editor.request("ompls/preview", asked)
    assert (after["stale"], "x[i] + 1" in after["text"]) == (False, True)


async def test_symbols_are_functions_with_their_regions(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, SAXPY)
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    symbols = await editor.client.text_document_document_symbol_async(params)
    assert [s.name for s in symbols] == ["saxpy"]  # type: ignore[union-attr]
    assert [c.name for c in symbols[0].children] == ["target teams distribute parallel for (saxpy_0)"]  # type: ignore[union-attr,index]


async def test_status_tells_what_was_analysed(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    editor.open(uri, MISTAKE)
    await editor.shows(uri, ["unknown-directive"])
    status = await editor.request("ompls/serverStatus", None)
    (document,) = [d for d in status["documents"] if d["uri"] == uri]
    assert (document["analysedVersion"], document["regions"], document["diagnostics"]) == (1, 0, 1)
