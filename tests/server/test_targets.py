"""Previews for a device that brings its own target: its code runs in the server only from where nobody is editing."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .conftest import running

pytestmark = pytest.mark.asyncio

FOLDERS = Path(__file__).resolve().parents[1] / "devices/folders"
TEXT = "void f(int *a)\n{\n#pragma omp target map(a[0:1])\n    a[0] = 7;\n}\n"


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(FOLDERS / "simt", tmp_path / "devices/simt")
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(tmp_path / "devices"))
    return tmp_path / "devices/simt"


async def previewed(root: Path, document: Path) -> Any:
    """The answer, or why there is none."""
    async with running("vscode", root=root) as editor:
        editor.open(document.as_uri(), TEXT)
        try:
            return await editor.request("ompls/preview", {"textDocument": {"uri": document.as_uri()}, "device": "simt"})
        except JsonRpcException as refused:
            return str(refused)


async def test_it_makes_the_kernels_that_are_shown(device: Path, tmp_path: Path) -> None:
    made = await previewed(tmp_path / "project", tmp_path / "project/a.c")
    assert '//\n#include "simt.h"\n' in made["text"]
    assert (made["languageId"], made["uri"].rpartition("/")[2]) == ("cpp", "f_0.cpp")


@pytest.mark.parametrize(
    ("root", "document"),
    [
        ("devices", "devices/a.c"),
        ("devices/simt", "devices/simt/a.c"),
        ("devices/simt/target", "devices/simt/target/a.c"),
        ("project", "devices/simt/library/a.c"),
    ],
)
async def test_nothing_of_a_folder_that_is_open_runs(device: Path, tmp_path: Path, root: str, document: str) -> None:
    (device / "target/__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    told = await previewed(tmp_path / root, tmp_path / document)
    assert told == (
        f"preview: cannot translate for simt: its folder {device} is open in the editor, and nothing in it is run from "
        "there; use 'ompls preview' for it"
    )
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("what", ["simt", "simt/target"])
async def test_no_link_into_a_folder_that_is_open_is_followed(device: Path, tmp_path: Path, what: str) -> None:
    (device / "target/__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    (device.parent / what).rename(tmp_path / "project/own")
    (device.parent / what).symlink_to(tmp_path / "project/own")
    told = await previewed(tmp_path / "project", tmp_path / "project/a.c")
    assert told.startswith("preview: cannot translate for simt: its folder" if what == "simt" else "preview: unknown")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("how", ["relative", "writable"])
async def test_nothing_of_a_path_that_is_not_trusted_runs(
    device: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    (device / "target/__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    if how == "relative":
        monkeypatch.setenv("OMPLS_DEVICE_PATH", "devices")
    else:
        device.parent.chmod(0o777)
    told = await previewed(tmp_path / "project", tmp_path / "project/a.c")
    assert told.startswith("preview: unknown device 'simt': no device has this name; there are ")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 / 0", "its target raises ZeroDivisionError: division by zero (__init__.py:1)"),
        ("TARGET = 3", "its target has no TARGET that is a KernelClass on a device"),
    ],
)
async def test_a_target_that_fails_is_told_and_harms_no_other(
    device: Path, tmp_path: Path, text: str, why: str
) -> None:
    (device / "target/__init__.py").write_text(text + "\n")
    document = tmp_path / "project/a.c"
    async with running("vscode", root=tmp_path / "project") as editor:
        editor.open(document.as_uri(), TEXT)
        asked = {"textDocument": {"uri": document.as_uri()}}
        with pytest.raises(JsonRpcException) as refused:
            await editor.request("ompls/preview", {**asked, "device": "simt"})
        assert why in str(refused.value)
        assert "__global__" in (await editor.request("ompls/preview", {**asked, "device": "cuda"}))["text"]


async def test_checks_completion_and_lenses_run_nothing(device: Path, tmp_path: Path) -> None:
    (device / "target/__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    (tmp_path / "project/.ompls.toml").write_text('device = "simt"\n')
    uri = (tmp_path / "project/a.c").as_uri()
    async with running("vscode", root=tmp_path / "project") as editor:
        editor.open(uri, TEXT)
        await editor.diagnostics(uri)
        document = types.TextDocumentIdentifier(uri)
        lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(document))
        assert lenses
        assert lenses[0].command
        assert lenses[0].command.title == "Preview C++ for lanes"
        params = types.CompletionParams(document, types.Position(2, 15))
        assert await editor.client.text_document_completion_async(params)
    assert not (tmp_path / "ran").exists()


async def test_a_planned_device_offers_nothing_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = tmp_path / "devices/later"
    later.mkdir(parents=True)
    (later / "device.toml").write_text('title = "a plan"\nlike = "host"\nplanned = "nobody has built it"\n')
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(later.parent))
    (tmp_path / ".ompls.toml").write_text('device = "later"\n')
    uri = (tmp_path / "a.c").as_uri()
    async with running("vscode", root=tmp_path) as editor:
        editor.open(uri, TEXT)
        await editor.diagnostics(uri)
        why = "nobody has built it"
        told = f"device 'later' is planned: {why}; it can be checked for, and nothing else"
        await editor.until(lambda: told in editor.messages())
        assert editor.messages().count(told) == 1
        document = types.TextDocumentIdentifier(uri)
        lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(document)) or []
        assert [lens.command.title for lens in lenses if lens.command] == ["Run"]
        place = types.Range(types.Position(2, 0), types.Position(2, 20))
        params = types.CodeActionParams(document, place, types.CodeActionContext([]))
        actions = await editor.client.text_document_code_action_async(params) or []
        assert [action.title for action in actions if "review" in action.title] == []
        with pytest.raises(JsonRpcException, match=f"cannot translate for later: {why}"):
            await editor.request("ompls/preview", {"textDocument": {"uri": uri}})
