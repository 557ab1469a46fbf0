"""Running the user's program from the editor: streamed, cancellable, never unasked, nothing left behind."""

from __future__ import annotations

import asyncio
import errno
import os
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from waiting import LIMIT

from ompls.server.commands import Commands
from ompls.server.refusal import Refused
from ompls.server.runs import RunFeature
from ompls.server.settings import settings_of
from ompls.server.terminal import Terminal

from .conftest import Editor, running

pytestmark = pytest.mark.asyncio
SETTINGS = {"lens": {"price": False}}  # else a compiler for GPUs runs beside each program

PROGRAM = """\
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int x = 40;
#pragma omp target map(tofrom : x)
  x += 2;
  printf("x = %d, %d argument(s), process %d\\n", x, argc - 1, (int)getpid());
  fflush(stdout);
  fprintf(stderr, "to stderr: \\xc3\\xa4\\n");
  char line[99];
  if (argc > 2 && fgets(line, sizeof line, stdin))
    printf("terminal %d, read %s", isatty(0) + isatty(1) + isatty(2), line);
  fflush(stdout);
  if (argc > 1) pause();
  return 3;
}
"""


def saved(editor: Editor, directory: Path) -> str:
    path = directory / "program.c"
    path.write_text(PROGRAM)
    editor.open(path.as_uri(), PROGRAM)
    return path.as_uri()


def output(editor: Editor, stream: str) -> str:
    return "".join(p["text"] for m, p in editor.notified if m == "ompls/runOutput" and p["stream"] == stream)


async def test_a_run_streams_its_output_and_gives_the_exit_code(vscode: Editor, tmp_path: Path) -> None:
    uri = saved(vscode, tmp_path)
    params = {"textDocument": {"uri": uri}, "device": "host", "run": "log"}  # a name as any other
    ended = await asyncio.wait_for(vscode.client.protocol.send_request_async("ompls/run", params), 90)
    assert (ended["run"], ended["exitCode"]) == ("log", 3)
    assert output(vscode, "stdout").startswith("x = 42, 0 argument(s)")
    assert "to stderr: \u00e4" in output(vscode, "stderr")


async def test_a_program_is_run_on_a_board(vscode: Editor, tmp_path: Path) -> None:
    params = {"textDocument": {"uri": saved(vscode, tmp_path)}, "remote": "nowhere"}
    ended = await asyncio.wait_for(vscode.client.protocol.send_request_async("ompls/run", params), 90)
    assert ended["exitCode"] == 125
    assert "board 'nowhere': no board has this name" in output(vscode, "stderr")


async def test_a_run_in_a_terminal_is_typed_to_and_says_what_is_done(vscode: Editor, tmp_path: Path) -> None:
    uri = saved(vscode, tmp_path)
    params = {
        "textDocument": {"uri": uri}, "device": "host", "arguments": ["read", "a line"], "run": "r1",
        "terminal": {"columns": 80, "rows": 24},
    }  # fmt: skip
    future = vscode.client.protocol.send_request("ompls/run", params)
    ended = asyncio.wrap_future(future)

    async def prints(text: str) -> None:
        while text not in output(vscode, "terminal"):
            assert not ended.done(), output(vscode, "terminal")
            await asyncio.sleep(0.05)

    await asyncio.wait_for(prints("process "), 90)
    said = output(vscode, "terminal")
    assert (
        0
        <= said.index("ompls: building program.c…")
        < said.index("ompls: running program.c on host")
        < said.index("x = 42")
    )
    vscode.client.protocol.notify("ompls/runInput", {"run": "other", "text": "nobody"})
    vscode.client.protocol.notify("ompls/runInput", {"run": "r1", "text": "hellp\x7fo \u00e4\r"})
    await asyncio.wait_for(prints("terminal 3, read hello \u00e4\r\n"), LIMIT)
    vscode.client.protocol.notify(
        "ompls/runInput", {"run": "r1", "text": "\x03", "terminal": {"columns": 9, "rows": 9}}
    )
    assert (await asyncio.wait_for(ended, LIMIT))["exitCode"] == 130
    assert "nobody" not in output(vscode, "terminal")


async def test_cancelling_a_run_leaves_no_process(vscode: Editor, tmp_path: Path) -> None:
    uri = saved(vscode, tmp_path)
    params = {"textDocument": {"uri": uri}, "device": "host", "arguments": ["wait"]}
    future = vscode.client.protocol.send_request("ompls/run", params, msg_id="run")
    process = await started(vscode)
    vscode.client.cancel_request(types.CancelParams(id="run"))
    with pytest.raises(JsonRpcException, match=r"(?i)cancel"):
        await asyncio.wait_for(asyncio.wrap_future(future), LIMIT)
    await gone(process)


async def test_a_killed_server_leaves_no_process(tmp_path: Path) -> None:
    async with running("vscode", SETTINGS, root=tmp_path) as editor:
        uri = saved(editor, tmp_path)
        params = {"textDocument": {"uri": uri}, "device": "host", "arguments": ["wait"]}
        editor.client.protocol.send_request("ompls/run", params)
        process = await started(editor)
        editor.process.kill()
        editor.process.join()
        await gone(process)


async def test_a_killed_server_leaves_no_build(tmp_path: Path, family: Any) -> None:
    os.mkfifo(tmp_path / "pipe.h")
    async with running("vscode", SETTINGS, root=tmp_path) as editor:
        text = PROGRAM + "#define HIDDEN(x) #x\n#include HIDDEN(pipe.h)\n"
        (tmp_path / "program.c").write_text(text)
        uri = (tmp_path / "program.c").as_uri()
        editor.open(uri, text)
        editor.client.protocol.send_request("ompls/run", {"textDocument": {"uri": uri}, "device": "host"})
        await asyncio.to_thread(family.waits_for, "cc1")
        editor.process.kill()
        editor.process.join()
        await asyncio.to_thread(family.ends)


async def test_a_file_that_became_a_pipe_is_not_waited_for(vscode: Editor, tmp_path: Path) -> None:
    uri = saved(vscode, tmp_path)
    (tmp_path / "program.c").unlink()
    os.mkfifo(tmp_path / "program.c")
    with pytest.raises(JsonRpcException, match="is not a regular file; save the file first"):
        await vscode.request("ompls/run", {"textDocument": {"uri": uri}, "device": "host"})


async def started(editor: Editor) -> int:
    """The process id that the program printed."""
    for _ in range(900):
        if "process " in (text := output(editor, "stdout")):
            return int(text.rpartition("process ")[2])
        await asyncio.sleep(0.1)
    raise AssertionError(f"the program did not start: {output(editor, 'stderr')}")


async def gone(process: int) -> None:
    for _ in range(int(LIMIT / 0.1)):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"process {process} is still there")


async def test_what_is_not_saved_is_not_run(vscode: Editor, tmp_path: Path) -> None:
    uri = saved(vscode, tmp_path)
    vscode.replace(uri, "x += 2", "x += 3")
    with pytest.raises(JsonRpcException, match="save the file first"):
        await vscode.request("ompls/run", {"textDocument": {"uri": uri}, "device": "host"})


async def test_a_buffer_without_a_name_is_not_run(vscode: Editor) -> None:
    vscode.open("file://", "int main(void) { return 0; }\n")  # as Neovim calls it
    with pytest.raises(JsonRpcException, match="run: a buffer without a name: not an open C file on the disk; save it"):
        await vscode.request("ompls/run", {"textDocument": {"uri": "file://"}})


async def test_nothing_is_run_in_a_workspace_that_is_not_trusted(tmp_path: Path) -> None:
    async with running("vscode", root=tmp_path, options={"trusted": False}) as editor:
        uri = saved(editor, tmp_path)
        with pytest.raises(JsonRpcException, match="not trusted"):
            await editor.request("ompls/run", {"textDocument": {"uri": uri}})


async def test_the_lens_of_a_client_without_an_own_command_runs_it(emacs: Editor, tmp_path: Path) -> None:
    uri = saved(emacs, tmp_path)
    argument = {"uri": uri, "region": "main_0", "device": "host"}
    command = types.ExecuteCommandParams(command="ompls.run", arguments=[argument])
    await asyncio.wait_for(emacs.client.workspace_execute_command_async(command), 90)
    assert emacs.messages() == ["ompls: the program ended with exit code 3"]
    logged = [p.message for m, p in emacs.notified if m == "window/logMessage"]
    assert any("x = 42" in text for text in logged)


async def test_a_run_that_cannot_be_started_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.c"
    path.write_text(PROGRAM)
    document = SimpleNamespace(path=str(path), source=PROGRAM.encode(), version=1)
    given = SimpleNamespace(
        settings_for=lambda _: settings_of({"run.device": "host"}),
        flags_for=lambda _: [],
    )
    server = SimpleNamespace(
        roots=(),
        trusted=True,
        engine=SimpleNamespace(given=given),
        session=lambda _: SimpleNamespace(document=document),
    )
    server.commands = Commands(server)  # type: ignore[arg-type]

    async def fails(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(asyncio, "create_subprocess_exec", fails)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    descriptors = len(os.listdir("/proc/self/fd"))
    params = {"textDocument": {"uri": path.as_uri()}, "trace": True, "terminal": {"columns": 80, "rows": 24}}
    with pytest.raises(Refused, match="ompls run: cannot be started: Too many open files; "):
        await RunFeature(server).run(params)  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == ["a.c"]
    assert len(os.listdir("/proc/self/fd")) == descriptors


@pytest.mark.parametrize("wrong", ["a\0b", "\ud800"])
async def test_what_no_program_can_have_as_an_argument_is_refused(tmp_path: Path, wrong: str) -> None:
    uri, path = (tmp_path / "a.c").as_uri(), tmp_path / "a.c"
    path.write_text(PROGRAM)
    async with running("vscode", SETTINGS, root=tmp_path) as editor:
        editor.open(uri, PROGRAM)
        for given in ({"arguments": ["x", wrong]}, {"device": wrong}, {"remote": wrong}):
            with pytest.raises(JsonRpcInvalidParams, match=r"a string that a program can have as an argument"):
                await editor.request("ompls/run", {"textDocument": {"uri": uri}, **given})
    async with running("vscode", root=tmp_path, options={"settings": {"run": {"arguments": [wrong]}}}) as editor:
        editor.settings = {"run": {"arguments": [wrong]}}
        editor.open(uri, PROGRAM)
        with pytest.raises(JsonRpcException) as refused:
            await editor.request("ompls/run", {"textDocument": {"uri": uri}})
    what = f"{wrong!a} is no argument that a program can have; correct it"
    assert refused.value.message == f"ompls run: cannot be started: {what}"


async def test_no_device_is_loaded_from_a_folder_that_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    devices = Path(__file__).resolve().parents[1] / "runtime/devices"
    monkeypatch.setenv("OMPLS_DEVICE_PATH", f"/nowhere:{devices}")
    commands = Commands(SimpleNamespace(roots=(str(tmp_path),)))  # type: ignore[arg-type]
    assert commands._environment()["OMPLS_DEVICE_PATH"] == f"/nowhere:{devices}"
    (tmp_path / "link").symlink_to(devices.parent)
    for root in (devices, devices.parent, tmp_path / "link"):
        commands = Commands(SimpleNamespace(roots=(str(root),)))  # type: ignore[arg-type]
        assert commands._environment()["OMPLS_DEVICE_PATH"] == "/nowhere"


async def test_devices_are_those_of_the_command_line(vscode: Editor, tmp_path: Path) -> None:
    listed = await asyncio.wait_for(vscode.client.protocol.send_request_async("ompls/devices", {}), 60)
    devices = listed if isinstance(listed, list) else listed["devices"]
    names = [d["name"] for d in devices]
    assert "host" in names
    assert "cudasim" in names
    uri = (tmp_path / "wide.c").as_uri()
    vscode.open(uri, "void f(long double *s) {\n#pragma omp target map(tofrom: s[0:1])\n  *s += 1;\n}\n")
    listed = await asyncio.wait_for(vscode.request("ompls/devices", {"textDocument": {"uri": uri}}), 60)
    cannot = {d["name"]: d["cannot"] for d in listed["devices"] if "cannot" in d}
    assert {"cuda", "cudasim"} <= set(cannot)
    assert "host" not in cannot
    assert cannot["cudasim"].startswith("wide.c:3: the type `long double` cannot run on cudasim: ")


async def test_a_run_has_the_version_of_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "version.c"
    file.write_text('#include <stdio.h>\nint main(void)\n{\n    printf("%d\\n", _OPENMP);\n}\n')
    editor = Editor("vscode")
    editor.settings = {"openmpVersion": "4.5"}
    await editor.start(root=tmp_path, options={"settings": editor.settings})
    try:
        editor.open(file.as_uri(), file.read_text())
        await editor.request("ompls/run", {"textDocument": {"uri": file.as_uri()}, "device": "host"})
        assert "201511" in output(editor, "stdout")
    finally:
        await editor.stop()


@pytest.mark.parametrize("steps", range(6))
async def test_a_terminal_may_be_closed_whatever_was_opened_of_it(steps: int) -> None:
    descriptors = len(os.listdir("/proc/self/fd"))
    terminal = Terminal(80, 24)
    opening = asyncio.create_task(terminal.open())
    for _ in range(steps):
        await asyncio.sleep(0)
    opening.cancel()
    await asyncio.wait({opening})
    terminal.close()
    terminal.resize(100, 40)
    for _ in range(5):  # the transports close at the loop's next turns
        await asyncio.sleep(0)
    assert len(os.listdir("/proc/self/fd")) == descriptors
