"""Which server the extension for VS Code starts, and where; its function itself, on node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    NODE is None or not (EXTENSION / "node_modules" / "esbuild").exists(),
    reason="node or the extension's packages are not there: 'make typescript' says what to do",
)


def servers(cases: list[dict[str, Any]]) -> list[Any]:
    """What the extension starts in each case."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(Path(__file__).with_name("find_server.mjs")), str(EXTENSION)],
        input=json.dumps(cases), cwd=EXTENSION, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("opened", ["workspace", "link to it"])
def test_an_untrusted_workspace_never_chooses_the_server(tmp_path: Path, opened: str) -> None:
    (tmp_path / "link to it").symlink_to(tmp_path / "workspace")
    places = {name: tmp_path / name for name in ("workspace/.venv/bin", "workspace/bin", "mine", "linked")}
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
        if place.name != "linked":
            (place / "ompls").write_text("")
            (place / "ompls").chmod(0o755)
    (places["linked"] / "ompls").symlink_to(places["workspace/bin"] / "ompls")
    inside, mine, linked = (str(places[name]) for name in ("workspace/bin", "mine", "linked"))
    venv = f"{tmp_path}/{opened}/.venv/bin"
    configured = {"workspaceValue": f"{inside}/ompls"}
    relative = os.path.relpath(f"{mine}/ompls", EXTENSION)
    wanted: list[tuple[bool, dict[str, str], str, str | None]] = [
        (True, configured, mine, inside),
        (False, configured, mine, mine),
        (False, {"globalValue": f"{mine}/ompls"}, inside, mine),
        (False, {"globalValue": relative}, "", None),
        (True, {"workspaceValue": relative}, "", venv),
        (True, {}, mine, venv),
        (False, {}, mine, mine),
        (False, {}, f":.:{os.path.relpath(mine, EXTENSION)}:{inside}:{linked}", None),
        (False, {}, f"{inside}:{linked}:{tmp_path}/link to it/bin:{mine}", mine),
        # a name is looked for on the PATH, and what it may be of there is the same
        (True, {"workspaceValue": "ompls"}, f"{inside}:{mine}", inside),
        (False, {"globalValue": "ompls"}, f"{inside}:{mine}", mine),
        (False, {"workspaceValue": "ompls"}, f"{inside}:{mine}", mine),
        (False, {"globalValue": "other"}, f"{inside}:.", None),
        # the folder is named in trusted workspaces only
        (True, {"workspaceValue": "${workspaceFolder}/bin/ompls"}, mine, f"{tmp_path}/{opened}/bin"),
        (True, {"globalValue": "${workspaceFolder}/bin/ompls"}, mine, f"{tmp_path}/{opened}/bin"),
        (False, {"globalValue": "${workspaceFolder}/bin/ompls"}, mine, mine),
        (True, {"globalValue": "${workspaceFolder}/none/ompls"}, mine, venv),
    ]
    folder = f"{tmp_path}/{opened}"
    cases = [{"trusted": t, "folder": folder, "settings": s, "PATH": p} for t, s, p, _ in wanted]
    found = servers(cases)
    assert [server and server["command"] for server in found] == [w and f"{w}/ompls" for *_, w in wanted]
    assert all(server["args"] == ["serve"] and server["options"] == {"cwd": "/"} for server in found if server)


def test_the_home_directory_is_an_absolute_one(tmp_path: Path) -> None:
    for place in ("home", "path"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "ompls").touch(0o755)
    case = {"trusted": True, "folder": "/none", "PATH": f"{tmp_path}/path"}
    # without a home `~/…` would be `/…`: this one is there
    below = {"settings": {"globalValue": f"~{tmp_path}/home/ompls"}}
    found = servers([
        {**case, "HOME": f"{tmp_path}/home", "settings": {"globalValue": "~/ompls"}},
        {**case, "HOME": "", **below}, {**case, "HOME": ".", **below},
    ])  # fmt: skip
    assert [server["command"] for server in found] == [
        f"{tmp_path}/{place}/ompls" for place in ("home", "path", "path")
    ]


def test_what_the_extension_carries_comes_before_environments(tmp_path: Path) -> None:
    for name in ("env/bin/ompls", "path/ompls"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch(0o755)
    python = tmp_path / "path" / "python3"
    python.symlink_to(sys.executable)
    for name in ("lib", f"cp{sys.version_info[0]}{sys.version_info[1]}"):
        (tmp_path / "bundled" / name).mkdir(parents=True)
    (tmp_path / "of another" / "lib").mkdir(parents=True)
    active = {"active": f"{tmp_path}/env/bin/python"}
    case = {"trusted": True, "folder": f"{tmp_path}/env", "settings": {}, "PATH": str(python.parent)}
    carries = {**case, "bundled": f"{tmp_path}/bundled"}
    configured = {"settings": {"globalValue": f"{tmp_path}/path/ompls"}}
    found = servers([
        {**carries, **active}, {**carries, "trusted": False}, {**carries, **configured},
        {**carries, "PATH": "", **active},
        {**case, "bundled": f"{tmp_path}/of another", **active}, {**case, **active, "trusted": False},
    ])  # fmt: skip
    itself = [str(python), f"{tmp_path}/bundled/serve.py", "serve"]
    environment, on_path = [f"{tmp_path}/env/bin/ompls", "serve"], [f"{tmp_path}/path/ompls", "serve"]
    assert [[server["command"], *server["args"]] for server in found] == [
        itself, itself, on_path, environment, environment, on_path,
    ]  # fmt: skip


def test_nothing_waits_while_a_program_says_its_version(tmp_path: Path) -> None:
    python, told = tmp_path / "path" / "python3", tmp_path / "told"
    python.parent.mkdir()
    python.write_text(f"#!/bin/sh\nwhile [ ! -e {told} ]; do /bin/sleep 0.05; done\necho 399\n")
    python.chmod(0o755)
    for name in ("lib", "cp399"):
        (tmp_path / "bundled" / name).mkdir(parents=True)
    case = {"trusted": True, "folder": str(tmp_path), "settings": {}, "PATH": str(python.parent)}
    (found,) = servers([{**case, "bundled": f"{tmp_path}/bundled", "waits": str(told)}])
    assert found["command"] == str(python)


def test_an_extension_that_never_begins_is_not_waited_for(tmp_path: Path) -> None:
    program = tmp_path / "ompls"
    program.touch(0o755)
    case = {"trusted": True, "folder": "/none", "settings": {}, "PATH": str(tmp_path)}
    (found,) = servers([{**case, "silent": True}])
    assert found["command"] == str(program)
