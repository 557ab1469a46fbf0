"""A folder full of modules that are named like everything that we import: none of them runs, and none is in our way."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from thinned import thinned

from .conftest import running

ROOT = Path(__file__).parents[2]
OMPLS = str(Path(sys.executable).with_name("ompls"))
DEVICES = ("host", "cudasim", "pyhost")
# What our processes import, with the whole standard library; then what is looked for, whether it is there or not.
EVERYTHING = """
import importlib, pkgutil, sys, ompls
for found in pkgutil.walk_packages(ompls.__path__, "ompls."):
    try:
        importlib.import_module(found.name)
    except ImportError:
        pass
print(*{name.partition(".")[0] for name in sys.modules} | sys.stdlib_module_names)
"""
LOOKED_FOR = "sitecustomize usercustomize nvidia pycuda numpy"
TRAP = "with open({!r}, 'a') as marks:\n    marks.write(__name__ + ' ')\n"
PROGRAM = """\
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int x[4] = {0};
    #pragma omp target teams distribute parallel for map(tofrom: x)
    for (int i = 0; i < 4; i++) x[i] = i;
    printf("%d\\n", x[3]);
    return access("program.c", R_OK);
}
"""
MISTAKE = PROGRAM.replace("tofrom", "tofroom")


@functools.cache
def names() -> list[str]:
    said = subprocess.run([sys.executable, "-c", EVERYTHING], cwd="/", capture_output=True, text=True, check=True)
    return f"{said.stdout} {LOOKED_FOR}".split()


class Folder:
    """The folder, with a program in it and nine files with a mistake."""

    def __init__(self, path: Path, form: str) -> None:
        self.path = path
        self.marks = path.with_name("marks")
        for name in names():
            trap = path / form.format(name)
            trap.parent.mkdir(parents=True, exist_ok=True)
            trap.write_text(TRAP.format(str(self.marks)))
        (path / "program.c").write_text(PROGRAM)
        for number in range(9):
            (path / f"wrong{number}.c").write_text(MISTAKE)

    def run(self, *words: str, code: int = 0, **environment: str) -> str:
        """What a command in the folder says on standard output."""
        done = subprocess.run(
            words, cwd=self.path, env={**os.environ, **environment}, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, (words, done.stderr)
        return done.stdout

    def ran(self) -> list[str]:
        """The modules of the folder that ran."""
        return self.marks.read_text().split() if self.marks.exists() else []


@pytest.fixture(params=thinned(["{}.py", "{}/__init__.py"], 2, ids=["modules", "packages"]))
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(ROOT / "tests" / "runtime" / "devices"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return Folder(tmp_path / "folder", request.param)


@pytest.mark.thorough
def test_the_traps_work(folder: Folder) -> None:
    """Else the other tests would say nothing: a typed `python -m` does run what lies here, as docs/editor.md says."""
    subprocess.run([sys.executable, "-m", "ompls", "check"], cwd=folder.path, capture_output=True, check=False)
    assert folder.ran()


@pytest.mark.thorough
def test_commands(folder: Folder) -> None:
    wrong = [f"wrong{n}.c" for n in range(9)]
    assert folder.run(OMPLS, "check", "--jobs", "2", *wrong, code=1).count("[malformed-clause]") == 9
    assert "__global__" in folder.run(OMPLS, "preview", "program.c")
    assert folder.run(OMPLS, "translate", "-o", "../bundle", "--device", "host", "program.c") == ""
    assert "pyhost" in folder.run(OMPLS, "devices", "--json")
    for device in DEVICES:
        assert "3\n" in folder.run(OMPLS, "run", "--device", device, "program.c")
    assert not folder.ran()


@pytest.mark.parametrize("device", thinned(DEVICES, 3))
@pytest.mark.thorough
def test_a_program(folder: Folder, device: str) -> None:
    """It works where its user is, also with an import path that names the current directory."""
    folder.run(OMPLS, "cc", "-fopenmp", f"-fopenmp-targets={device}", "program.c", "-o", "program")
    for path in ("", ":", ".", f":{ROOT}"):
        assert "3\n" in folder.run("./program", PYTHONPATH=path)
    assert not folder.ran()


@pytest.mark.asyncio
@pytest.mark.parametrize("path", thinned([None, ":."], 2, ids=["path-unset", "path-relative"]))
@pytest.mark.thorough
async def test_a_session(folder: Folder, path: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an editor that starts the server in the folder, or elsewhere with an import path that is relative."""
    if path is not None:
        monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.chdir(folder.path if path is None else "/")
    uri, wrong = ((folder.path / name).as_uri() for name in ("program.c", "wrong0.c"))
    async with running("vscode", command=[OMPLS, "serve", "--stdio"], root=folder.path) as editor:
        editor.open(wrong, MISTAKE)
        await editor.shows(wrong, ["malformed-clause"])
        editor.open(uri, PROGRAM)
        made = await editor.request("ompls/preview", {"textDocument": {"uri": uri}, "region": "main_0"})
        assert "__global__" in made["text"]
        others = await editor.request("workspace/diagnostic", types.WorkspaceDiagnosticParams([]))
        assert len([r for r in others.items if r.items]) == 8
        assert {d["name"] for d in (await editor.request("ompls/devices", {}))["devices"]} >= set(DEVICES)
        for device in DEVICES:
            ended = await editor.request("ompls/run", {"textDocument": {"uri": uri}, "device": device})
            assert ended["exitCode"] == 0
    assert not folder.ran()


def test_python_is_started_in_one_place() -> None:
    """`start.py`; else there would be a `-m` or `-c` sooner or later.  What forks starts no Python."""
    package = ROOT / "ompls"
    texts = {path.relative_to(package).as_posix(): path.read_text("utf-8") for path in package.rglob("*.py")}
    assert [name for name, text in texts.items() if "sys.executable" in text] == ["runtime/start.py"]
    assert all("get_context(" not in text or 'get_context("fork")' in text for text in texts.values())
    stub = (package / "runtime" / "core" / "stub.c").read_text("utf-8")
    assert '"-m"' not in stub
    # What is sent to a node takes the current directory off the import path (tests/remote/test_mpinode.py looks).
    # Of another machine no path is known; `-c` then runs in the root directory (test_elsewhere.py looks).
    assert re.findall(r'.*"-c".*', stub) == ["    if (*ompls_stub_script == '\\0') command[n++] = \"-c\";"]
    assert stub.index('chdir("/")') < stub.index('"-c"')
