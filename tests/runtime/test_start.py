"""Our Python processes (start.py): what they may import, and where they work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ompls.runtime import start

PROBE = """
import json, os, sys
def main():
    import ompls
    print(json.dumps({"path": sys.path, "cwd": os.getcwd(), "arguments": sys.argv, "ompls": ompls.__file__}))
"""


def probe(tmp_path: Path, directory: str = start.NOWHERE, **environment: str) -> dict[str, list[str]]:
    """What a process of ours sees with a module of the user's on its import path, besides what `environment` says."""
    own = tmp_path / "own"
    own.mkdir(exist_ok=True)
    (own / "probe.py").write_text(PROBE)
    env = {**os.environ, **environment}
    env["PYTHONPATH"] = os.pathsep.join([str(own), *filter(None, [environment.get("PYTHONPATH")])])
    command = start.command("probe", "a", "-b", directory=directory)
    done = subprocess.run(command, cwd=start.NOWHERE, env=env, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def test_it_runs_this_package_whatever_else_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "own" / "ompls").mkdir(parents=True)
    (tmp_path / "own" / "ompls" / "__init__.py").write_text("")
    seen = probe(tmp_path)
    assert seen["ompls"] == str(Path(start.SCRIPT).parents[1] / "__init__.py")
    assert seen["arguments"] == ["probe", "a", "-b"]


@pytest.mark.parametrize("safe", ["", "1"])
def test_the_import_path_is_the_users_without_what_depends_on_the_directory(tmp_path: Path, safe: str) -> None:
    site = tmp_path / "user"
    env = {"PYTHONUSERBASE": str(site), "PYTHONSAFEPATH": safe}
    words = [sys.executable, "-c", "import sys; print(*sys.path[1:] if '' in sys.path else sys.path, sep='\\n')"]
    plain = subprocess.run(words, env={**os.environ, **env}, capture_output=True, text=True, check=True)
    expected = [str(tmp_path / "own"), *plain.stdout.split("\n")[:-1]]
    assert probe(tmp_path, **env)["path"] == expected
    relative = probe(tmp_path, str(tmp_path), **env, PYTHONPATH=":lib:.:")["path"]
    below_the_root = {"/" * slashes + name for slashes in (1, 2) for name in ("", ".", "lib")}
    assert [entry for entry in relative if entry not in below_the_root] == expected


def test_it_works_where_it_shall(tmp_path: Path) -> None:
    assert probe(tmp_path)["cwd"] == start.NOWHERE
    assert probe(tmp_path, str(tmp_path))["cwd"] == str(tmp_path)
    assert probe(tmp_path, "")["cwd"] == start.NOWHERE
