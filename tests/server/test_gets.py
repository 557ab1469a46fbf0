"""*Show what DEVICE gets*: who is offered it where, what its title says, and the page of a device that cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from .conftest import Editor
from .test_editors import SAXPY
from .test_prices import FIXED, titles

pytestmark = pytest.mark.asyncio
DEVICES = ["cuda", "cudasim", "epiphany", "host", "mpinode"]
ANOTHER = "Show what another device gets\u2026"
BY_EDITOR, BY_USER = types.CodeActionTriggerKind.Automatic, types.CodeActionTriggerKind.Invoked


async def shows(editor: Editor, uri: str, line: int, trigger: Any = BY_USER) -> list[types.CodeAction]:
    place = types.Position(line, 8)
    context = types.CodeActionContext([], only=["ompls.show"], trigger_kind=trigger)
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), types.Range(place, place), context)
    found = await editor.client.text_document_code_action_async(params)
    return [action for action in found or () if isinstance(action, types.CodeAction)]


def line_of(text: str, needle: str) -> int:
    return text[: text.index(needle)].count("\n")


async def test_the_chosen_device_and_another_are_offered_in_a_region(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, SAXPY)
    pragma, body = line_of(SAXPY, "#pragma"), line_of(SAXPY, "y[i] =")
    offered = await shows(vscode, uri, body)
    assert [action.title for action in offered] == ["Show what cuda gets", ANOTHER]
    assert [action.command.arguments for action in offered if action.command is not None] == [
        ({"uri": uri, "region": "saxpy_0", "device": "cuda"},),
        ({"uri": uri, "region": "saxpy_0", "choose": True},),
    ]
    assert not await shows(vscode, uri, 0)
    # the light bulb is for the pragma only
    assert len(await shows(vscode, uri, pragma, BY_EDITOR)) == 2
    assert not await shows(vscode, uri, body, BY_EDITOR)


async def test_who_cannot_ask_is_offered_every_device(emacs: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    emacs.open(uri, SAXPY)
    offered = await shows(emacs, uri, line_of(SAXPY, "y[i] ="))
    assert [action.title for action in offered] == [f"Show what {name} gets" for name in DEVICES]
    assert offered[2].command is not None
    assert offered[2].command.arguments == ({"uri": uri, "region": "saxpy_0", "device": "epiphany"},)


async def test_a_header_is_no_program_to_run(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.h").as_uri()
    vscode.open(uri, SAXPY)
    assert await titles(vscode, uri) == ["Preview CUDA"]
    assert len(await shows(vscode, uri, line_of(SAXPY, "#pragma"))) == 2


async def test_the_title_has_the_price_that_is_known(vscode: Editor, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(FIXED)
    vscode.settings = {"preview": {"device": "host,mpinode"}}
    vscode.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    vscode.open(file.as_uri(), FIXED)
    offered: list[types.CodeAction] = []
    while not any("(" in action.title for action in offered):
        offered = await shows(vscode, file.as_uri(), line_of(FIXED, "#pragma"))
    assert [action.title for action in offered] == [
        "Show what host gets", "Show what mpinode gets (8 messages, 2.29 MiB)", ANOTHER,
    ]  # fmt: skip


async def test_a_client_without_virtual_documents_gets_a_message(emacs: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    emacs.open(uri, SAXPY)
    command = (await shows(emacs, uri, line_of(SAXPY, "#pragma")))[0].command
    assert command is not None
    await emacs.client.workspace_execute_command_async(types.ExecuteCommandParams(command.command, command.arguments))
    await emacs.until(lambda: any(m == "window/showMessage" for m, _ in emacs.notified))
    (message,) = [p.message for m, p in emacs.notified if m == "window/showMessage"]
    assert "__global__" in message


async def test_the_page_of_a_device_that_cannot_has_all_reasons(vscode: Editor, tmp_path: Path) -> None:
    text = """int f(int *a) {
#pragma omp target map(tofrom: a[0:9])
  {
    long double x = a[0];
    asm("nop");
    for (int i = 0; i < 9; i++) a[i] = x;
  }
  return a[0];
}
"""
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, text)
    asked = {"textDocument": {"uri": uri}, "region": "f_0", "device": "epiphany"}
    page = (await vscode.request("ompls/preview", asked))["text"]
    head, *rest = page.splitlines()
    assert head == "// epiphany cannot run f_0: a.c:2: target"
    assert [line for line in rest if line.startswith(("// a.c:", "//     rule"))] == [
        "// a.c:4: the type `long double` cannot run on epiphany: a core has no number of its size",
        "//     rule: device-type",
        "// a.c:5: inline assembly cannot run on epiphany: its instructions are those of another machine",
        "//     rule: unsupported-on-device",
    ]
    # it is a kernel again once all of it is changed
    vscode.replace(uri, "long double", "float")
    vscode.replace(uri, 'asm("nop");', "")
    assert (await vscode.request("ompls/preview", asked))["text"].count("cannot run") == 0
