"""What only a client like VS Code's does: result ids, refreshes, virtual documents, settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from thinned import thinned

from .conftest import Editor, running
from .test_editors import MISTAKE, SAXPY

pytestmark = pytest.mark.asyncio


async def test_what_did_not_change_is_not_sent_again(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, MISTAKE)
    await vscode.shows(uri, ["unknown-directive"])
    first = await vscode.pull(uri)
    assert (await vscode.pull(uri, first.result_id)).kind == "unchanged"
    vscode.replace(uri, "y[i] = a", "y[i] = 2 * a")
    assert (await vscode.pull(uri, first.result_id)).kind == "unchanged"
    vscode.replace(uri, "tarrget", "target")
    assert (await vscode.pull(uri, first.result_id)).kind == "full"


async def test_a_preview_follows_the_source(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, SAXPY)
    made = await vscode.request("ompls/preview", {"textDocument": {"uri": uri}, "region": "saxpy_0"})
    virtual = made["uri"]
    content = await vscode.content(virtual)
    assert content == made["text"]
    vscode.replace(uri, "a * x[i]", "a * x[i] * 2")
    await vscode.until(lambda: any(m == "workspace/textDocumentContent/refresh" for m, _ in vscode.requested))
    (refresh,) = [p for m, p in vscode.requested if m == "workspace/textDocumentContent/refresh"]
    assert refresh.uri == virtual
    content = await vscode.content(virtual)
    assert "a * x[i] * 2" in content


@pytest.mark.parametrize("first", ["source", "preview"])
async def test_a_preview_that_another_server_has_sent_is_refreshed(vscode: Editor, tmp_path: Path, first: str) -> None:
    uri, stale = (tmp_path / "a.c").as_uri(), "// as it was\n"
    virtual = f"ompls-preview://cuda{tmp_path}/a.c/saxpy_0.cu"
    if first == "source":
        vscode.open(uri, SAXPY)
        await vscode.diagnostics(uri)
    vscode.open(virtual, stale, "cuda-cpp")
    if first == "preview":
        vscode.open(uri, SAXPY)
    await vscode.until(lambda: any(m == "workspace/textDocumentContent/refresh" for m, _ in vscode.requested))
    assert [p.uri for m, p in vscode.requested if m == "workspace/textDocumentContent/refresh"] == [virtual]
    assert "__global__" in await vscode.content(virtual)
    folds = types.FoldingRangeParams(types.TextDocumentIdentifier(virtual))
    assert await vscode.client.text_document_folding_range_async(folds) is None
    vscode.close(virtual)
    vscode.replace(uri, "a * x[i]", "a * x[i] * 2")
    await vscode.request("ompls/preview", {"textDocument": {"uri": uri}})
    assert len([m for m, _ in vscode.requested if m == "workspace/textDocumentContent/refresh"]) == 1


async def test_an_explained_preview_has_a_uri_of_its_own(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, SAXPY)
    asked = {"textDocument": {"uri": uri}, "region": "saxpy_0"}
    plain = await vscode.request("ompls/preview", asked)
    made = await vscode.request("ompls/preview", {**asked, "explain": True})
    assert made["uri"] == plain["uri"] + "#explain"
    assert made["text"].startswith("// Each time the host reaches line ")
    assert await vscode.content(made["uri"]) == made["text"]


@pytest.mark.parametrize("device", ["cuda", "host"])
async def test_a_preview_names_files_as_the_workspace_does(vscode: Editor, tmp_path: Path, device: str) -> None:
    uri = (tmp_path / "src/a.c").as_uri()
    vscode.open(uri, SAXPY)
    made = await vscode.request("ompls/preview", {"textDocument": {"uri": uri}, "device": device})
    assert " src/a.c" in made["text"]
    assert str(tmp_path) not in made["text"]


async def test_a_preview_is_found_however_the_client_spells_its_source(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a b.c").as_uri().replace("a%20b.c", "%61%20b%2Ec")
    vscode.open(uri, SAXPY)
    made = await vscode.request("ompls/preview", {"textDocument": {"uri": uri}})
    assert await vscode.content(made["uri"]) == made["text"]
    vscode.replace(uri, "a * x[i]", "a * x[i] * 2")
    await vscode.until(lambda: any(m == "workspace/textDocumentContent/refresh" for m, _ in vscode.requested))


async def test_previews_of_two_sources_follow_both(vscode: Editor, tmp_path: Path) -> None:
    uris = [(tmp_path / name).as_uri() for name in ("a.c", "b.c")]
    virtuals = []
    for uri in uris:
        vscode.open(uri, SAXPY)
        virtuals.append((await vscode.request("ompls/preview", {"textDocument": {"uri": uri}}))["uri"])
        await vscode.content(virtuals[-1])
    for uri in uris:
        vscode.replace(uri, "a * x[i]", "a * x[i] * 2")
    method = "workspace/textDocumentContent/refresh"
    await vscode.until(lambda: {p.uri for m, p in vscode.requested if m == method} == set(virtuals))


async def test_the_preview_of_a_region_that_is_gone_says_so(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, SAXPY)
    made = await vscode.request("ompls/preview", {"textDocument": {"uri": uri}})
    await vscode.content(made["uri"])
    vscode.replace(uri, "saxpy", "daxpy")
    await vscode.until(lambda: any(m == "workspace/textDocumentContent/refresh" for m, _ in vscode.requested))
    assert await vscode.content(made["uri"]) == "// a.c has no region 'saxpy_0'; it has daxpy_0\n"


async def test_a_preview_of_what_does_not_exist_is_refused(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, SAXPY)
    asked = {"textDocument": {"uri": uri}}
    with pytest.raises(JsonRpcException, match="no region 'main_7'; it has saxpy_0"):
        await vscode.request("ompls/preview", {**asked, "region": "main_7"})


async def test_a_preview_that_stays_the_same_is_not_refreshed(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, SAXPY + "int unrelated;\n")
    made = await vscode.request("ompls/preview", {"textDocument": {"uri": uri}, "region": "saxpy_0"})
    await vscode.content(made["uri"])
    vscode.replace(uri, "unrelated", "something_else")
    await vscode.diagnostics(uri)
    await vscode.request("ompls/serverStatus", None)
    assert not [m for m, _ in vscode.requested if m == "workspace/textDocumentContent/refresh"]


async def test_the_manual_page_of_a_rule_is_a_document(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, MISTAKE)
    (shown,) = await vscode.shows(uri, ["unknown-directive"])
    assert shown.code_description is not None
    page = await vscode.content(shown.code_description.href)
    assert "unknown-directive" in page


WRONG = [
    "ompls-preview://cuda",
    "ompls-preview:///",
    "ompls-preview://[x/a.c/f_0.cu",
    "ompls-preview://cuda/x.c/f_0.cu",
    "x:y",
]


@pytest.mark.parametrize("uri", thinned(WRONG, 5))
async def test_a_virtual_document_that_does_not_exist_is_an_error(vscode: Editor, uri: str) -> None:
    with pytest.raises(JsonRpcException):
        await vscode.content(uri)


async def test_the_schemes_are_registered(vscode: Editor) -> None:
    await vscode.request("ompls/serverStatus", None)
    options = {r.method: r.register_options for r in vscode.registered}
    assert options["workspace/textDocumentContent"]["schemes"] == ["ompls-preview", "ompls-rule"]


async def test_settings_are_asked_for_and_a_bad_one_is_named(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, MISTAKE)
    await vscode.shows(uri, ["unknown-directive"])
    vscode.settings = {"diagnostics": {"ignore": ["unknown-directive"]}, "openmpVersion": "7"}
    vscode.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
    await vscode.until(lambda: bool(vscode.messages()))
    assert vscode.messages()[0].startswith("ompls.openmpVersion: expected one of")
    asked = {"workspace/diagnostic/refresh", "workspace/codeLens/refresh"}
    await vscode.until(lambda: asked <= {m for m, _ in vscode.requested})
    await vscode.shows(uri, [])


async def test_headers_of_the_project_are_read_from_the_editor(vscode: Editor, tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#define DIRECTIVE target\n")
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, SAXPY.replace("omp target", "omp DIRECTIVE").replace("void", '#include "own.h"\nvoid', 1))
    await vscode.shows(uri, [])
    header = (tmp_path / "own.h").as_uri()
    vscode.open(header, "#define DIRECTIVE target\n")
    vscode.replace(header, "target", "tarrget")
    await vscode.until(lambda: any(m == "workspace/diagnostic/refresh" for m, _ in vscode.requested))
    await vscode.shows(uri, ["unknown-directive"])


async def test_a_mistake_in_a_header_is_shown_there_when_it_is_open(vscode: Editor, tmp_path: Path) -> None:
    body = MISTAKE.replace("void saxpy", "static void saxpy")
    (tmp_path / "own.h").write_text(body)
    uri, header = (tmp_path / "a.c").as_uri(), (tmp_path / "own.h").as_uri()
    vscode.open(uri, '#include "own.h"\nint main(void) { return 0; }\n')
    (shown,) = await vscode.shows(uri, ["unknown-directive"])
    assert vscode.under(uri, shown.range).startswith('#include "own.h"')
    assert shown.related_information is not None
    assert shown.related_information[0].location.uri == header
    vscode.open(header, body)
    await vscode.shows(header, ["unknown-directive"])
    vscode.replace(uri, "return 0", "return 1")
    await vscode.shows(uri, [])
    await vscode.shows(header, ["unknown-directive"])


async def test_settings_come_with_the_start_too(tmp_path: Path) -> None:
    options = {"settings": {"diagnostics": {"enable": False}}}
    async with running("emacs", root=tmp_path, options=options) as emacs:
        uri = (tmp_path / "a.c").as_uri()
        emacs.settings = options["settings"]
        emacs.open(uri, MISTAKE)
        await emacs.shows(uri, [])


async def test_an_address_that_is_none_harms_nothing(vscode: Editor) -> None:
    for wrong in ("ompls-preview://[x/a.c/f_0.cu", "file://[x/a.c", "untitled://[x"):
        vscode.open(wrong, "int x;\n")
    status = await vscode.request("ompls/serverStatus", None)
    assert [document["uri"] for document in status["documents"]] == ["file://[x/a.c", "untitled://[x"]
