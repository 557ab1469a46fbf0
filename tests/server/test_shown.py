"""What documents show when they are opened, closed and opened again, and where findings in a header are shown then."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from waiting import LIMIT

from ompls.server.diagnostics import DiagnosticsFeature

from .conftest import Editor, running
from .test_editors import MISTAKE

if TYPE_CHECKING:
    from ompls.server.app import OmplsServer

pytestmark = pytest.mark.asyncio

OTHER = MISTAKE.replace("tarrget teams", "target teems")
HEADER = MISTAKE.replace("void saxpy", "static void saxpy")
SOURCE = '#include "own.h"\nint x;\n'


async def test_a_result_id_is_of_what_is_shown(vscode: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / "a.c").as_uri()
    vscode.open(uri, MISTAKE)
    await vscode.shows(uri, ["unknown-directive"])
    first = await vscode.pull(uri)
    vscode.close(uri)
    vscode.open(uri, OTHER)
    second = await vscode.pull(uri, first.result_id)
    assert second.kind == "full"
    assert [d.message for d in second.items] != [d.message for d in first.items]
    async with running("vscode", root=tmp_path) as restarted:
        restarted.open(uri, OTHER)
        assert (await restarted.pull(uri, first.result_id)).kind == "full"
        await restarted.shows(uri, [str(d.code) for d in second.items])
        restarted.close(uri)
        restarted.open(uri, MISTAKE)
        assert (await restarted.pull(uri, first.result_id)).kind == "unchanged"


@pytest.mark.parametrize("name", ["vscode", "neovim", "emacs"])
async def test_findings_in_a_header_are_shown_once_whatever_is_open(name: str, tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text(HEADER)
    header, source = (tmp_path / "own.h").as_uri(), (tmp_path / "m.c").as_uri()
    async with running(name, root=tmp_path) as editor:
        editor.open(source, SOURCE)
        (at_include,) = await editor.shows(source, ["unknown-directive"])
        assert editor.under(source, at_include.range) == '#include "own.h"'
        for _ in range(2):
            editor.open(header, HEADER)
            await editor.shows(source, [])
            await editor.shows(header, ["unknown-directive"])
            editor.close(header)
            await editor.shows(source, ["unknown-directive"])


async def test_closing_the_document_takes_what_it_found_in_a_header_away(emacs: Editor, tmp_path: Path) -> None:
    header, source = (tmp_path / "own.h").as_uri(), (tmp_path / "m.c").as_uri()
    text = "#ifdef WITH\n" + HEADER + "#endif\n"
    (tmp_path / "own.h").write_text(text)
    emacs.open(header, text)
    await emacs.shows(header, [])
    emacs.open(source, "#define WITH\n" + SOURCE)
    await emacs.shows(header, ["unknown-directive"])
    emacs.close(source)
    await emacs.shows(header, [])


async def test_a_client_is_asked_to_pull_what_moved(vscode: Editor, tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text(HEADER)
    header, source = (tmp_path / "own.h").as_uri(), (tmp_path / "m.c").as_uri()
    vscode.open(header, HEADER)
    vscode.open(source, SOURCE)
    await vscode.shows(header, ["unknown-directive"])
    await vscode.shows(source, [])
    asked = len(refreshes(vscode))
    vscode.close(header)
    await vscode.until(lambda: len(refreshes(vscode)) > asked)
    await vscode.shows(source, ["unknown-directive"])


async def test_a_reason_to_pull_is_told_though_the_client_still_answers_the_last_one() -> None:
    asked, answered = asyncio.Semaphore(0), asyncio.Event()

    async def request(method: str, params: object) -> None:
        asked.release()
        await answered.wait()

    feature = DiagnosticsFeature(
        cast("OmplsServer", SimpleNamespace(client=SimpleNamespace(refreshes_diagnostics=True), request=request))
    )
    feature.refresh()
    await asyncio.wait_for(asked.acquire(), LIMIT)
    feature.refresh()
    answered.set()
    await asyncio.wait_for(asked.acquire(), LIMIT)


def refreshes(editor: Editor) -> list[str]:
    return [method for method, _ in editor.requested if method == "workspace/diagnostic/refresh"]
