"""Every program of bench/ works: each runs once, as small as it can (bench/smallest.py).

What no other file of bench/ imports is a program, so a new one is tried, too.  One that measures what this machine has
not says so, and is skipped with that reason.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from thinned import thinned

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*ROOT.glob("bench/*.py"), *ROOT.glob("bench/gpu/*.py")])
LACKS = 77


def _imported(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def _client() -> ModuleType:
    """bench/client.py, which imports nothing of bench/."""
    found = importlib.util.spec_from_file_location("bench_client", ROOT / "bench/client.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_what_a_server_says_before_it_ends_is_told() -> None:
    says = "import sys; sys.stdin.readline(); sys.exit('the disk is full')"
    client = _client().Client([sys.executable, "-c", says])
    with pytest.raises(RuntimeError, match="exit code 1; stderr: the disk is full"):
        client.request("initialize", {})


def test_what_a_server_says_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    module = _client()
    monkeypatch.setattr(module, "_LIMIT", 0.01)
    client = module.Client(["sleep", "1000"])
    with pytest.raises(RuntimeError, match=r"nothing for 0\.01 s; stderr: nothing"):
        client.request("initialize", {})
    client.server.kill()
    client.server.wait()


MODULES = set().union(*map(_imported, FILES))
PROGRAMS = [file for file in FILES if file.stem not in MODULES]


@pytest.mark.thorough
@pytest.mark.parametrize("program", thinned(PROGRAMS, len(PROGRAMS), of_rest=5, ids=[file.stem for file in PROGRAMS]))
def test_a_program_works_at_its_smallest(program: Path) -> None:
    done = subprocess.run(
        [sys.executable, program, "--smallest"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},  # mpiexec
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == LACKS:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stdout + done.stderr
