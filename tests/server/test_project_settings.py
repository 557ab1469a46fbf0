"""The project file in an editor: it counts below the editor's own settings, and again as soon as it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from .conftest import Editor, running
from .test_editors import MISTAKE

pytestmark = pytest.mark.asyncio

OFF = '[severity]\nunknown-directive = "off"\n'


def changed(editor: Editor, path: Path) -> None:
    event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


@pytest.mark.parametrize("name", ["vscode", "emacs"])
async def test_a_project_file_counts_as_soon_as_it_is_saved(tmp_path: Path, name: str) -> None:
    uri, project = (tmp_path / "a.c").as_uri(), tmp_path / ".ompls.toml"
    async with running(name, root=tmp_path) as editor:
        editor.open(uri, MISTAKE)
        await editor.shows(uri, ["unknown-directive"])
        editor.requested.clear()
        project.write_text(OFF)
        changed(editor, project)
        await _shows(editor, uri, 0)
        project.write_text(OFF.replace("off", "hint"))
        changed(editor, project)
        await _shows(editor, uri, 1)
        (shown,) = await editor.shows(uri, ["unknown-directive"])
        assert shown.severity == types.DiagnosticSeverity.Hint
        project.unlink()
        changed(editor, project)
        await _shows(editor, uri, 1)


async def _shows(editor: Editor, uri: str, count: int) -> None:
    """Without being asked anew, where the editor does not ask: what was published last."""
    if editor.name == "vscode":
        await editor.until(lambda: any(m == "workspace/diagnostic/refresh" for m, _ in editor.requested))
        editor.requested.clear()
        await editor.shows(uri, ["unknown-directive"] * count)
    else:
        await editor.until(lambda: len([p for p in editor.published if p.uri == uri][-1].diagnostics) == count)


async def test_the_editors_settings_count_more(tmp_path: Path) -> None:
    (tmp_path / ".ompls.toml").write_text(OFF)
    uri = (tmp_path / "a.c").as_uri()
    options = {"settings": {"diagnostics": {"severity": {"unknown-directive": "warning"}}}}
    editor = Editor("emacs")
    editor.settings = options["settings"]
    await editor.start(root=tmp_path, options=options)
    editor.open(uri, MISTAKE)
    (shown,) = await editor.shows(uri, ["unknown-directive"])
    assert shown.severity == types.DiagnosticSeverity.Warning
    await editor.stop()


async def test_a_mistake_in_it_is_told_once_with_its_line(tmp_path: Path) -> None:
    (tmp_path / ".ompls.toml").write_text('\nopnmpVersion = "5.1"\n')
    async with running("vscode", root=tmp_path) as editor:
        for name in ("a.c", "b.c"):
            editor.open((tmp_path / name).as_uri(), MISTAKE)
            await editor.shows((tmp_path / name).as_uri(), ["unknown-directive"])
        told = [m for m in editor.messages() if "opnmpVersion" in m]
        assert told == [f"{tmp_path}/.ompls.toml:2: unknown setting 'opnmpVersion'; did you mean 'openmpVersion'?"]


async def test_it_is_watched(tmp_path: Path) -> None:
    async with running("vscode", root=tmp_path) as editor:
        editor.open((tmp_path / "a.c").as_uri(), MISTAKE)
        await editor.shows((tmp_path / "a.c").as_uri(), ["unknown-directive"])
        options = [r.register_options for r in editor.registered if r.id == "ompls-files"]
        watched = [w["globPattern"] if isinstance(w, dict) else w.glob_pattern for o in options for w in _watchers(o)]
        assert {"**/.ompls.toml", "**/pyproject.toml"} <= set(watched)


def _watchers(options: object) -> list[object]:
    return options["watchers"] if isinstance(options, dict) else options.watchers  # type: ignore[attr-defined,no-any-return]
