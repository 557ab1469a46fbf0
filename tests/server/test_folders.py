"""Several folders in one workspace: a document has the settings of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from .conftest import Editor, running
from .test_editors import MISTAKE, SAXPY
from .test_prices import refreshed, titles

pytestmark = pytest.mark.asyncio


def folders(tmp_path: Path, *names: str) -> list[str]:
    for name in names:
        (tmp_path / name).mkdir(parents=True)
    return [(tmp_path / name).as_uri() for name in names]


async def first_title(editor: Editor, uri: str) -> str:
    return (await titles(editor, uri))[0]


async def comes(editor: Editor, uri: str, title: str) -> None:
    """Wait until it is the first one: the server asks for the lenses again once it has read new settings."""
    seen = refreshed(editor)
    while await first_title(editor, uri) != title:
        await editor.until(lambda seen=seen: refreshed(editor) > seen)  # type: ignore[misc]
        seen = refreshed(editor)


async def test_each_folder_has_its_settings(tmp_path: Path) -> None:
    one, two, inner = folders(tmp_path, "one", "two", "two/inner")
    async with running("vscode", roots=[one, two, inner]) as editor:
        editor.settings = {"preview": {"device": "mpinode"}}
        editor.folders = {
            one: {"preview": {"device": "cuda"}, "diagnostics": {"ignore": ["unknown-directive"]}},
            two: {"preview": {"device": "host"}},
            inner: {"preview": {"device": "epiphany"}},
        }
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        wanted = {f"{one}/a.c": "CUDA", f"{two}/a.c": "host", f"{inner}/a.c": "epiphany"}
        wanted[(tmp_path / "a.c").as_uri()] = "mpinode"
        for uri, device in wanted.items():
            editor.open(uri, SAXPY)
            assert await first_title(editor, uri) == f"Preview {device}"
        for folder, rules in ((one, []), (two, ["unknown-directive"])):
            editor.open(f"{folder}/b.c", MISTAKE)
            await editor.shows(f"{folder}/b.c", rules)


async def test_a_folder_that_comes_or_goes_is_asked_about(tmp_path: Path) -> None:
    one, two = folders(tmp_path, "one", "two")
    async with running("vscode", roots=[one]) as editor:
        editor.folders = {one: {}, two: {"preview": {"device": "host"}}}
        uri = f"{two}/a.c"
        editor.open(uri, SAXPY)
        assert await first_title(editor, uri) == "Preview CUDA"
        folder = [types.WorkspaceFolder(two, "two")]
        for added, removed, device in ((folder, [], "host"), ([], folder, "CUDA")):
            event = types.WorkspaceFoldersChangeEvent(added, removed)
            editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
            await comes(editor, uri, f"Preview {device}")


async def test_what_is_relative_is_meant_from_the_folder(tmp_path: Path) -> None:
    one, two = folders(tmp_path, "one", "two")
    for name in ("one", "two"):
        (tmp_path / name / "own").mkdir()
        (tmp_path / name / "own" / "own.h").write_text(f"#define OWN {name}\n")
    async with running("vscode", roots=[one, two]) as editor:
        editor.settings = editor.folders[one] = editor.folders[two] = {"flags": ["-Iown"]}
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        for folder, name in ((one, "one"), (two, "two")):
            uri = f"{folder}/a.c"
            text = f"#include <own.h>\nvoid f(int {name}) {{\n#pragma omp target map(OWN)\n  OWN = 1;\n}}\n"
            editor.open(uri, text)
            await editor.shows(uri, [])
            editor.replace(uri, f"int {name}", "int other")
            shown = await editor.shows(uri, ["undeclared-name"])
            (macro,) = shown[0].related_information or ()
            assert macro.location.uri == f"{folder}/own/own.h"


async def test_a_client_without_settings_for_folders_keeps_its_own(tmp_path: Path) -> None:
    (one,) = folders(tmp_path, "one")
    async with running("vscode", roots=[one]) as editor:
        editor.settings, editor.folders = {"preview": {"device": "host"}}, {one: None}
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        editor.open(f"{one}/a.c", SAXPY)
        assert await first_title(editor, f"{one}/a.c") == "Preview host"


async def test_a_client_that_says_once_more_what_it_has_said_is_asked_for_nothing(tmp_path: Path) -> None:
    """Else an editor that has just opened a document draws it anew, and its analysis begins anew."""
    (one,) = folders(tmp_path, "one")
    async with running("vscode", roots=[one], options={"settings": {}}) as editor:
        editor.folders = {one: {}}
        await editor.until(lambda: editor.told == 1)
        uri = f"{one}/a.c"
        editor.open(uri, SAXPY)
        assert await first_title(editor, uri) == "Preview CUDA"
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        await editor.until(lambda: editor.told == 2)
        assert await first_title(editor, uri) == "Preview CUDA"
        assert not [method for method, _ in editor.requested if method.endswith("/refresh")]


@pytest.mark.parametrize("name", ["x%00y", "x\0y"])
async def test_a_folder_that_no_system_has_harms_nothing(tmp_path: Path, name: str) -> None:
    (one,) = folders(tmp_path, "one")
    nowhere = f"file:///{name}"
    async with running("vscode", roots=[one, nowhere]) as editor:
        for folder in (one, nowhere):
            uri = f"{folder}/a.c"
            editor.open(uri, SAXPY)
            assert await first_title(editor, uri) == "Preview CUDA"
            made = await editor.request("ompls/preview", {"textDocument": {"uri": uri}, "region": "saxpy_0"})
            assert "__global__" in made["text"]
