"""What must not hurt: bad input, odd documents, clients that vanish.  The server says why, answers, and goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from thinned import thinned
from waiting import LIMIT

from .conftest import Editor, running
from .test_editors import MISTAKE, SAXPY

asynchronous = pytest.mark.asyncio

NOT_GOOD_C = {
    "not C at all": 'Dear reader,\n\tthis is a letter. \u2603\f\n#!%$ }}} ((( /* "\n',
    "an unclosed pragma": "void f(int n) {\n#pragma omp target map(to: n\n",
    "a pragma that ends in a backslash": "void f(void) {\n#pragma omp target \\",
    "an unclosed comment": "int x; /* here\n#pragma omp target\n",
    "an unclosed string": 'char *s = "abc\n#pragma omp target\n',
    "nothing": "",
    "a NUL": "int a\x00b;\n#pragma omp target\n{ }\n",
    "lone surrogate and no line ends": "int \ud83d;",
    "deep nesting": "int x = " + "(" * 5000 + "1" + ")" * 5000 + ";\n",
    "an include of a device": '#include "/dev/zero"\nint x;\n',
    "an include of itself": '#include "a.c"\nint x;\n',
    "a line of a megabyte": "int x = " + "1 + " * 250_000 + "1;\n",
}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("text", thinned(NOT_GOOD_C.values(), 3, ids=NOT_GOOD_C))
async def test_bad_text_is_answered(one_vscode: Editor, tmp_path: Path, text: str) -> None:
    uri = (tmp_path / "a.c").as_uri()
    one_vscode.open(uri, text)
    await one_vscode.pull(uri)
    place = types.Position(1, 3)
    document = types.TextDocumentIdentifier(uri)
    await one_vscode.client.text_document_hover_async(types.HoverParams(document, place))
    await one_vscode.client.text_document_code_lens_async(types.CodeLensParams(document))
    one_vscode.close(uri)
    await alive(one_vscode, tmp_path)


async def alive(editor: Editor, directory: Path) -> None:
    """The server still finds a mistake in another document."""
    uri = (directory / "alive.c").as_uri()
    editor.open(uri, MISTAKE)
    await editor.shows(uri, ["unknown-directive"])


@asynchronous
async def test_a_huge_document_is_left_alone_with_a_message(emacs: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "huge.c").as_uri()
    emacs.open(uri, MISTAKE + "int filler;\n" * 400_000)
    (hint,) = await emacs.diagnostics(uri)
    assert (hint.code, hint.severity) == ("analysis-incomplete", types.DiagnosticSeverity.Hint)
    assert "4,000,000 bytes (`ompls.diagnostics.maxFileSize`)" in hint.message
    (document,) = (await emacs.client.protocol.send_request_async("ompls/serverStatus", None))["documents"]
    assert not document["complete"]
    (message,) = emacs.messages()
    assert "huge.c" in message
    assert "ompls.diagnostics.maxFileSize" in message
    emacs.change(uri, [types.TextDocumentContentChangeWholeDocument(text=MISTAKE)])
    emacs.texts[uri] = MISTAKE
    await emacs.shows(uri, ["unknown-directive"])


@asynchronous
@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "git:/x/a.c?ref%3DHEAD", "vscode-remote://host/a.c"])
async def test_a_document_that_is_no_file_is_checked(vscode: Editor, uri: str) -> None:
    vscode.open(uri, MISTAKE)
    await vscode.shows(uri, ["unknown-directive"])
    lenses = await vscode.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    assert not [lens for lens in lenses or () if lens.command and lens.command.title == "Run"]


@asynchronous
async def test_a_document_that_is_no_file_has_a_preview(vscode: Editor) -> None:
    uri = "untitled:Untitled-1"
    vscode.open(uri, SAXPY)
    made = await vscode.request("ompls/preview", {"textDocument": {"uri": uri}})
    assert made["uri"] == "ompls-preview://cuda/Untitled-1/saxpy_0.cu?untitled%3AUntitled-1"
    assert await vscode.content(made["uri"]) == made["text"]


@asynchronous
@pytest.mark.parametrize("device", ["cuda", "cudasim", "host"])
async def test_a_header_that_is_not_utf_8_can_be_shown(vscode: Editor, tmp_path: Path, device: str) -> None:
    uri = (tmp_path / "a.c").as_uri()
    (tmp_path / "h.h").write_bytes(
        b'#define WORD "gr\xfcn"\nstatic int first(int i) { return "\xe9\xfc"[i]; /* \xe9 */ } // \xfc\n'
    )
    before = '#include "h.h"\n#pragma omp declare target to(first)\nvoid f(int *n) {\n'
    vscode.open(uri, before + '#pragma omp target map(n[0:1])\n  n[0] = sizeof WORD + first(0) + sizeof "\u00fc";\n}\n')
    params = {"textDocument": {"uri": uri}, "device": device, "explain": True}
    made = await vscode.request("ompls/preview", params)
    assert 'sizeof "gr\ufffdn" + first(0) + sizeof "\u00fc"' in made["text"]
    assert 'return "\ufffd\ufffd"[i]; /* \ufffd */' in made["text"]
    assert await vscode.content(made["uri"]) == made["text"]
    document, place = types.TextDocumentIdentifier(uri), types.Position(4, 17)
    hover = await vscode.client.text_document_hover_async(types.HoverParams(document, place))
    assert hover is None or "\udcfc" not in str(hover)


@asynchronous
async def test_other_languages_are_left_alone(emacs: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()
    emacs.open(uri, MISTAKE, language="python")
    await alive(emacs, tmp_path)
    assert not [p for p in emacs.published if p.uri == uri]


@asynchronous
async def test_edits_out_of_range_and_of_unknown_documents(emacs: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    unknown = types.VersionedTextDocumentIdentifier(version=3, uri="file:///nowhere.c")
    whole = types.TextDocumentContentChangeWholeDocument(text="x")
    emacs.client.text_document_did_change(types.DidChangeTextDocumentParams(unknown, [whole]))
    emacs.open(uri, "int x;")
    far = types.Position(10**6, 10**6)
    emacs.change(uri, [types.TextDocumentContentChangePartial(range=types.Range(far, far), text="\n" + MISTAKE)])
    emacs.texts[uri] = "int x;\n" + MISTAKE
    await emacs.shows(uri, ["unknown-directive"])


@asynchronous
async def test_closing_a_document_takes_its_diagnostics_away(emacs: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    emacs.open(uri, MISTAKE)
    await emacs.shows(uri, ["unknown-directive"])
    emacs.close(uri)
    await emacs.until(lambda: emacs.published[-1].diagnostics == ())
    emacs.open(uri, MISTAKE)
    await emacs.shows(uri, ["unknown-directive"])


@asynchronous
async def test_only_the_last_version_is_published_last(emacs: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    emacs.open(uri, MISTAKE)
    for _ in range(30):
        emacs.replace(uri, "tarrget", "target")
        emacs.replace(uri, "target", "tarrget")
    await emacs.shows(uri, ["unknown-directive"])
    versions = [p.version for p in emacs.published if p.uri == uri]
    assert versions == sorted(versions)  # type: ignore[type-var]
    assert versions[-1] == 61


@asynchronous
async def test_wrong_parameters_are_answered_with_an_error(vscode: Editor, tmp_path: Path) -> None:
    for method, params in (
        ("ompls/preview", []),
        ("ompls/preview", {}),
        ("ompls/preview", {"textDocument": {"uri": "file:///nowhere.c"}, "region": "main_0"}),
        ("ompls/run", {"textDocument": {"uri": "file:///nowhere.c"}}),
        ("ompls/nonsense", {}),
    ):
        with pytest.raises(JsonRpcException):
            await vscode.request(method, params)
    await alive(vscode, tmp_path)


@asynchronous
async def test_a_cancelled_request_is_answered_as_cancelled(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, "".join(SAXPY.replace("saxpy", f"f{k}") for k in range(300)))
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(1, 1))
    future = vscode.client.protocol.send_request("textDocument/hover", params, msg_id="slow")
    vscode.client.cancel_request(types.CancelParams(id="slow"))
    with pytest.raises(JsonRpcException, match=r"(?i)cancel"):
        await asyncio.wait_for(asyncio.wrap_future(future), LIMIT)
    await alive(vscode, tmp_path)


@asynchronous
async def test_a_missing_compiler_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with running("emacs", root=tmp_path) as emacs:
        for name in ("a.c", "b.c"):
            uri = (tmp_path / name).as_uri()
            emacs.open(uri, "#include <stdio.h>\n" + MISTAKE)
            await emacs.shows(uri, ["missing-include", "unknown-directive"])
        assert len([m for m in emacs.messages() if "gcc" in m]) == 1


@asynchronous
async def test_an_unwritable_cache_is_said_once_and_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("OMPLS_CACHE_DIR", str(tmp_path / "file" / "cache"))
    async with running("emacs", root=tmp_path) as emacs:
        for name in ("a.c", "b.c"):
            uri = (tmp_path / name).as_uri()
            emacs.open(uri, "#include <stdio.h>\n" + MISTAKE)
            await emacs.shows(uri, ["unknown-directive"])
        (message,) = emacs.messages()
        assert "cache" in message
