"""The compiler as a child: what limits hold for it and all that it starts, and that nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from thinned import thinned

from ompls.analysis.syntax.preprocess import Preprocessor
from ompls.project import compiler
from ompls.project.cache import DiskCache
from ompls.project.workspace import Workspace

SOURCE = b"#include <only_gcc.h>\n#include <limits.h>\nint n = CHAR_BIT;\n"


def trap(directory: Path, kind: str) -> tuple[Workspace, str, tuple[str, ...]]:
    """A workspace with a header that includes what only the compiler can find out; its file, and its flags."""
    (directory / "sys").mkdir()
    (directory / "sys" / "only_gcc.h").write_text("#define NAME(x) <x/endless.h>\n#include NAME(deep)\n")
    (directory / "sys" / "deep").mkdir()
    lay(directory / "sys" / "deep" / "endless.h", kind)
    workspace = Workspace([str(directory)], cache=DiskCache(directory / "cache"))
    return workspace, str(directory / "main.c"), ("-isystem", str(directory / "sys"))


def lay(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "text":
        path.write_text("int filler;\n" * 200_000)
    else:
        path.symlink_to(kind)


def test_nothing_is_left_of_a_compiler_that_took_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: Any
) -> None:
    monkeypatch.setattr(compiler, "DEADLINE", 0.5)
    workspace, main, flags = trap(tmp_path, "pipe")
    workspace.snapshot(main, SOURCE, flags)
    assert "took longer" in workspace.problems["system headers"].reason
    family.ends()


@pytest.mark.parametrize(("kind", "limit"), [("/dev/zero", "out of memory"), ("text", "File size limit exceeded")])
def test_what_only_the_compiler_sees_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, limit: str, family: Any
) -> None:
    monkeypatch.setattr(compiler, "MAX_MEMORY", 256 << 20)
    monkeypatch.setattr(compiler, "MAX_OUTPUT", 1 << 20)
    workspace, main, flags = trap(tmp_path, kind)
    for _ in range(2):  # what a limit has cut off is no answer to remember
        assert "<limits.h>" in workspace.snapshot(main, SOURCE, flags).missing
        assert limit in workspace.problems.pop("system headers").reason
    family.ends()
    (tmp_path / "sys" / "deep" / "endless.h").unlink()
    (tmp_path / "sys" / "deep" / "endless.h").write_text("")
    assert "<limits.h>" in workspace.snapshot(main, SOURCE, flags).system


SNAPSHOT = """
import sys
from ompls.project.workspace import Workspace
Workspace([sys.argv[1]]).snapshot(sys.argv[1] + "/main.c", sys.argv[2].encode(), ("-isystem", sys.argv[1] + "/sys"))
"""


def test_limits_hold_for_all_and_all_end_with_us(tmp_path: Path, family: Any) -> None:
    for number in range(4):
        directory = tmp_path / str(number)
        directory.mkdir()
        trap(directory, "pipe")
        ours = subprocess.Popen([sys.executable, "-c", SNAPSHOT, str(directory), SOURCE.decode()])
        members = family.waits_for("cc1")
        for pid in members.keys() - {ours.pid}:
            limits = Path(f"/proc/{pid}/limits").read_text()
            values = {line[:25].strip(): line[25:].split()[0] for line in limits.splitlines()}
            said = (values["Max address space"], values["Max file size"], values["Max core file size"])
            if members[pid] in ("gcc", "cc1"):
                assert said == (str(compiler.MAX_MEMORY), str(compiler.MAX_OUTPUT), "0")
                assert int(values["Max cpu time"]) <= compiler.DEADLINE + 1
        ours.send_signal(signal.SIGKILL if number % 2 else signal.SIGTERM)
        ours.wait()
        family.ends()


# -- what the compiler is not asked for --------------------------------------------------------------------------------


KINDS = ("pipe", "/dev/zero", "/dev/stdin", "/proc/version", "/proc/kmsg", "/proc/self/fd/0")
QUESTIONS = (
    '#include "z.h"', "#include <z.h>", '#define Z "z.h"\n#include Z', '#if __has_include("z.h")\n#endif',
    "#if __has_include(<z.h>) || 1\n#endif", '#include "sub/../z.h"', '#import "z.h"', "",
)  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), thinned([(kind, text) for kind in KINDS for text in QUESTIONS], 5))
def test_only_files_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, text: str) -> None:
    monkeypatch.setattr(compiler, "MAX_MEMORY", 512 << 20)
    (tmp_path / "sub").mkdir()
    lay(tmp_path / "z.h", kind)
    for flags in (("-I" + str(tmp_path),), ("-isystem", str(tmp_path)), ("-iquote", str(tmp_path))):
        workspace = Workspace([str(tmp_path)], cache=DiskCache(tmp_path / "cache"))
        given = flags if text else (*flags, "-include", str(tmp_path / "z.h"))
        source = f"{text}\n#include <limits.h>\nCHAR_BIT\n".encode()
        snapshot = workspace.snapshot(str(tmp_path / "main.c"), source, given)
        assert not workspace.problems
        assert Preprocessor().run(str(tmp_path / "main.c"), source, snapshot).text.split() == [b"8"]
        if text == '#include "z.h"':
            assert snapshot.missing == {'"z.h"': "is not a regular file"}


@pytest.mark.parametrize("name", ["compile_commands.json", "compile_flags.txt", ".ompls.toml", "pyproject.toml"])
@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "/proc/kmsg", "/proc/self/mem"])
def test_files_of_a_project_are_files(tmp_path: Path, name: str, kind: str) -> None:
    lay(tmp_path / name, kind)
    assert Workspace([str(tmp_path)]).flags(str(tmp_path / "main.c")) == ()


def test_a_directory_that_has_the_name_of_a_header_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "first" / "z.h").mkdir(parents=True)
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "z.h").write_text("#define Z 1\n")
    flags = (f"-I{tmp_path}/first", "-isystem", str(tmp_path / "second"))
    snapshot = Workspace([str(tmp_path)]).snapshot(str(tmp_path / "main.c"), b"#include <z.h>\n", flags)
    assert not snapshot.missing
