"""`workspace/diagnostic`: files that are not open, over stdio as VS Code asks for them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from waiting import LIMIT, until

from ompls.server import checker, wide
from ompls.server.app import OmplsServer
from ompls.server.nursery import Nursery

from .conftest import Editor

pytestmark = pytest.mark.asyncio(loop_scope="function")

RIGHT = "void f(int n) {\n#pragma omp target map(tofrom: n)\n  n++;\n}\n"
WRONG = RIGHT.replace("target", "tarrget")


@pytest_asyncio.fixture(loop_scope="function")
async def rooted(tmp_path: Path) -> AsyncIterator[tuple[Editor, Path]]:
    """VS Code in a workspace of three files, one of them with a mistake."""
    for name, text in (("a.c", RIGHT), ("b.c", WRONG), ("sub/c.c", RIGHT), (".hidden/d.c", WRONG)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    editor = Editor("vscode")
    await editor.start(root=tmp_path)
    yield editor, tmp_path
    await editor.stop()


def ask(editor: Editor, previous: dict[str, str], **more: Any) -> asyncio.Task[Any]:
    known = [types.PreviousResultId(uri, value) for uri, value in previous.items()]
    params = types.WorkspaceDiagnosticParams(known, **more)
    return asyncio.ensure_future(editor.client.workspace_diagnostic_async(params))


def shown(items: list[Any]) -> dict[str, list[str]]:
    return {Path(i.uri).name: [str(d.code) for d in i.items] for i in items}


async def test_what_others_include_is_not_checked_by_itself(rooted: tuple[Editor, Path]) -> None:
    """It lacks what they declare; one that the compile database names is a file like others."""
    editor, root = rooted
    (root / "sub" / "more.c").write_text("void more(void) { limit = 1; }\n")
    (root / "sub" / "alone.c").write_text("void alone(void) { limit = 1; }\n")
    (root / "a.c").write_text('static int limit;\n#include "sub/more.c"\n#include "sub/alone.c"\n')
    command = {"directory": str(root), "file": "sub/alone.c", "arguments": ["gcc", "-c", "sub/alone.c"]}
    (root / "compile_commands.json").write_text(json.dumps([command]))
    found = await asyncio.wait_for(ask(editor, {}), 60)
    assert shown(found.items) == {"b.c": ["unknown-directive"], "alone.c": ["undeclared-name"]}


async def test_files_that_are_not_open_are_checked(rooted: tuple[Editor, Path]) -> None:
    editor, root = rooted
    first = await asyncio.wait_for(ask(editor, {}), 60)
    assert shown(first.items) == {"b.c": ["unknown-directive"]}
    known = {i.uri: i.result_id for i in first.items}
    waiting = ask(editor, known)
    await editor.request("ompls/serverStatus", {})
    assert not waiting.done()  # nothing is new: it is held
    (root / "b.c").write_text(RIGHT)
    (root / "sub" / "c.c").write_text(WRONG)
    saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier((root / "b.c").as_uri()))
    editor.client.text_document_did_save(saved)
    second = await asyncio.wait_for(waiting, 60)
    items = {i.uri: i for i in second.items}
    if len(items) == 1:  # one of the two was seen first: the next answer has the other
        again = await asyncio.wait_for(ask(editor, known | {i.uri: i.result_id for i in second.items}), 60)
        items |= {i.uri: i for i in again.items}
    assert shown(list(items.values())) == {"b.c": [], "c.c": ["unknown-directive"]}


async def test_answers_come_one_by_one_and_open_files_are_left_to_their_editor(rooted: tuple[Editor, Path]) -> None:
    editor, root = rooted
    editor.open((root / "b.c").as_uri(), WRONG)
    (root / "a.c").write_text(WRONG)
    answer = await asyncio.wait_for(ask(editor, {}, partial_result_token="part", work_done_token="work"), 60)
    assert not answer.items
    parts = [p.value for method, p in editor.notified if method == "$/progress" and p.token == "part"]
    assert [Path(item["uri"]).name for part in parts for item in part["items"]] == ["a.c"]
    work = [p.value["kind"] for method, p in editor.notified if method == "$/progress" and p.token == "work"]
    assert work[0] == "begin"
    assert work[-1] == "end"


async def test_a_request_can_be_cancelled_and_a_setting_switches_it_off(rooted: tuple[Editor, Path]) -> None:
    editor, _ = rooted
    first = await asyncio.wait_for(ask(editor, {}), 60)
    known = [types.PreviousResultId(i.uri, i.result_id) for i in first.items]
    params = types.WorkspaceDiagnosticParams(known)
    waiting = editor.client.protocol.send_request("workspace/diagnostic", params, msg_id="wide")
    editor.client.protocol.notify("$/cancelRequest", types.CancelParams("wide"))
    with pytest.raises(Exception, match="ancel"):
        await asyncio.wait_for(asyncio.wrap_future(waiting), LIMIT)
    editor.settings = {"diagnostics": {"workspaceFiles": 1}}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    gone = await asyncio.wait_for(ask(editor, {i.uri: i.result_id for i in first.items}), 60)
    assert shown(gone.items) == {"b.c": []}


class Checking:
    """A server without an editor, whose checks are counted, and cut off when they are told to."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.log, self.deadly, self.process = root / "checks", root / "deadly", root / "process"
        check = checker.check

        def watched(order: checker.Order, *rest: Any) -> Any:
            with self.log.open("a") as log:
                log.write(Path(order.path).name + "\n")
            if self.process.exists() and not self.process.read_text():
                self.process.write_text(str(os.getpid()))
                os.kill(os.getpid(), signal.SIGSTOP)
            deaths = int(self.deadly.read_text()) if self.deadly.exists() else 0
            if deaths and order.path.endswith("b.c"):
                self.deadly.write_text(str(deaths - 1))
                os.kill(os.getpid(), signal.SIGKILL)
            return check(order, *rest)

        monkeypatch.setattr(checker, "check", watched)
        self.server = OmplsServer(Nursery({"check": checker.main}))
        self.server.set_roots([root.as_uri()])

    def dies(self, times: int) -> None:
        self.deadly.write_text(str(times))

    async def pull(self) -> dict[str, list[str]]:
        self.server.wide._answered = False
        params = types.WorkspaceDiagnosticParams([])
        answer = await asyncio.wait_for(self.server.wide.pull(params), 60)
        return {Path(i["uri"]).name: [d["code"] for d in i["items"]] for i in answer["items"]}

    def checked(self) -> list[str]:
        names = self.log.read_text().split()
        self.log.unlink()
        return names


@pytest_asyncio.fixture(loop_scope="function")
async def checking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Checking]:
    for name, text in (("a.c", WRONG), ("b.c", WRONG), ("c.c", RIGHT)):
        (tmp_path / name).write_text(text)
    it = Checking(tmp_path, monkeypatch)
    yield it
    it.server.wide.stop()
    it.server.engine.shutdown()


BOTH = {"a.c": ["unknown-directive"], "b.c": ["unknown-directive"]}


async def test_a_check_that_is_cut_off_is_made_again(checking: Checking) -> None:
    checking.dies(1)
    assert await checking.pull() == BOTH
    assert checking.checked() == ["a.c", "b.c", "b.c", "c.c"]


async def test_a_checker_that_ended_while_it_rested_costs_no_finding(checking: Checking, tmp_path: Path) -> None:
    assert await checking.pull() == BOTH
    checking.checked()
    (tmp_path / "b.c").write_text(WRONG + "\n")
    checking.server.engine.workers.nursery.renew()
    assert await checking.pull() == BOTH
    assert checking.checked() == ["b.c"]


async def test_time_in_which_the_server_is_stopped_does_not_count(
    checking: Checking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wide, "LIMIT", 20.0)
    checking.process.touch()
    asked = asyncio.create_task(checking.pull())
    while not checking.process.read_text():
        await asyncio.sleep(0)
    process = int(checking.process.read_text())
    assert until(lambda: Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    loop = asyncio.get_running_loop()
    clock = loop.time
    monkeypatch.setattr(loop, "time", lambda: clock() + 1.5 * wide.LIMIT)  # as a terminal stops all of a group
    for _ in range(10):  # what is due now is done
        await asyncio.sleep(0)
    os.kill(process, signal.SIGCONT)
    assert await asked == BOTH
    assert checking.checked() == ["a.c", "b.c", "c.c"]


async def test_a_file_that_cannot_be_checked_is_not_a_clean_one(
    checking: Checking, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    checking.dies(100)
    for _ in range(3):
        assert await checking.pull() == {**BOTH, "b.c": ["analysis-incomplete"]}
    assert checking.checked() == ["a.c", *["b.c"] * wide.TRIES, "c.c"]
    assert "b.c: not checked until it has changed" in caplog.text
    checking.dies(0)
    (tmp_path / "b.c").write_text(WRONG + "\n")
    assert await checking.pull() == BOTH


async def test_problems_of_project_files_are_said_by_the_loop(
    checking: Checking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ompls.toml").write_text("nonsense = 1\n")
    said: list[threading.Thread] = []
    monkeypatch.setattr(checking.server, "say", lambda *_: said.append(threading.current_thread()))
    await checking.pull()
    assert set(said) == {threading.current_thread()}
