"""What kernels need, in the titles of the lenses, of a file that is as it was saved."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from lsprotocol import types

from .conftest import Editor
from .test_editors import SAXPY

pytestmark = pytest.mark.asyncio
FIXED = """double a[100000], b[100000];
void f(void)
{
#pragma omp target teams distribute parallel for map(to: a) map(tofrom: b)
    for (int i = 0; i < 100000; i++)
        b[i] += a[i];
}
"""


async def titles(editor: Editor, uri: str) -> list[str]:
    lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    return [lens.command.title for lens in lenses or () if lens.command]


def refreshed(editor: Editor) -> int:
    return sum(method == "workspace/codeLens/refresh" for method, _ in editor.requested)


async def priced_title(editor: Editor, uri: str) -> str:
    while True:
        seen = refreshed(editor)
        if "(" in (found := (await titles(editor, uri))[0]):
            return found
        await editor.until(lambda seen=seen: refreshed(editor) > seen)  # type: ignore[misc]


async def shows_price(editor: Editor, uri: str, end: str) -> None:
    """Wait until the title of the first lens has this end."""
    while True:
        seen = refreshed(editor)
        if (await titles(editor, uri))[0].endswith(end):
            return
        await editor.until(lambda seen=seen: refreshed(editor) > seen)  # type: ignore[misc]


def for_a_node(editor: Editor, place: Path, text: str = FIXED) -> str:
    """The address of a file that is open, and previewed for a node."""
    file = place / "a.c"
    file.write_text(text)
    editor.settings = {"preview": {"device": "mpinode"}}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    editor.open(file.as_uri(), text)
    return file.as_uri()


async def test_the_title_says_what_travels_to_a_node(vscode: Editor, tmp_path: Path) -> None:
    assert (await priced_title(vscode, for_a_node(vscode, tmp_path))).endswith(" (8 messages, 2.29 MiB)")


async def test_a_preview_says_bytes_geometry_and_what_is_known_of_needs(vscode: Editor, tmp_path: Path) -> None:
    uri = for_a_node(vscode, tmp_path)
    await priced_title(vscode, uri)
    made = await vscode.request("ompls/preview", {"textDocument": {"uri": uri}})
    first, second, *lines = made["text"].splitlines()
    assert (first, second) == ("// 8 messages, 2.29 MiB", "// Each time the host reaches line 4:")
    assert lines[0].split() == ["//", "map", "a", "sizeof(a)", "bytes", "copied", "in,", "unless", "present"]
    assert any(line.split()[1:2] == ["launch"] for line in lines)
    (at,) = [line for line, source in made["lineMap"] if source == 6 and "b[i]" in ([first, second, *lines][line - 1])]
    assert at > 8
    assert await vscode.content(made["uri"]) == made["text"]
    vscode.replace(uri, "+= a[i]", "+= 2 * a[i]")  # nobody knows what that one needs
    made = await vscode.request("ompls/preview", {"textDocument": {"uri": uri}})
    assert made["text"].startswith("// Each time")


@pytest.mark.skipif(find_spec("nvidia.cuda_nvrtc") is None, reason="no nvrtc: pip install 'ompls[cuda-preview]'")
async def test_the_title_says_what_the_saved_kernel_needs(vscode: Editor, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(SAXPY)
    vscode.open(file.as_uri(), SAXPY)

    async def priced() -> str:
        return await priced_title(vscode, file.as_uri())

    assert (await priced()).endswith(" registers)")
    vscode.replace(file.as_uri(), "+ y[i]", "+ 1")
    assert await titles(vscode, file.as_uri()) == ["Preview CUDA", "Run"]  # nobody knows what that one needs
    file.write_text(vscode.texts[file.as_uri()])
    vscode.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(file.as_uri())))
    assert (await priced()).endswith(" registers)")


async def test_the_title_of_run_says_on_which_devices_the_region_cannot(vscode: Editor, tmp_path: Path) -> None:
    vscode.settings = {"lens": {"preview": False}}
    vscode.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    uri, text = (tmp_path / "wide.c").as_uri(), FIXED.replace("double", "long double")
    vscode.open(uri, text)
    assert await priced_title(vscode, uri) == "Run (cannot run on cuda and cudasim)"
    vscode.settings = {"lens": {"preview": False}, "run": {"device": "host"}}
    vscode.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await shows_price(vscode, uri, "Run")


async def test_a_header_that_changes_changes_the_price(vscode: Editor, tmp_path: Path) -> None:
    header = tmp_path / "n.h"
    header.write_text("#define N 100000\n")
    text = '#include "n.h"\n' + FIXED.replace("100000", "N")
    uri = for_a_node(vscode, tmp_path, text)
    assert (await priced_title(vscode, uri)).endswith(" (8 messages, 2.29 MiB)")
    made = await vscode.request("ompls/preview", {"textDocument": {"uri": uri}})
    assert made["text"].startswith("// 8 messages, 2.29 MiB\n")

    header.write_text("#define N 1000\n")
    event = types.FileEvent(header.as_uri(), types.FileChangeType.Changed)
    vscode.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    await shows_price(vscode, uri, " messages, 23.4 KiB)")

    vscode.open(header.as_uri(), "#define N 10\n")  # what nobody has saved has no price
    await shows_price(vscode, uri, "Preview mpinode")


async def test_a_file_of_which_none_could_be_told_is_asked_about_again(vscode: Editor, tmp_path: Path) -> None:
    empty = tmp_path / "empty.c"
    empty.write_text("int none;\n")
    vscode.open(empty.as_uri(), "int none;\n")
    await priced_title(vscode, for_a_node(vscode, tmp_path))  # and the first one was asked about before
    vscode.change(empty.as_uri(), [types.TextDocumentContentChangeWholeDocument(FIXED)])
    empty.write_text(FIXED)
    saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(empty.as_uri()))
    vscode.client.text_document_did_save(saved)
    assert (await priced_title(vscode, empty.as_uri())).endswith(" (8 messages, 2.29 MiB)")
