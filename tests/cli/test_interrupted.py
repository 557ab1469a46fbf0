"""Commands that end while a compiler works for them: nothing of it is left, neither processes nor private files.

The compiler waits for a header that is a pipe, so that it works for as long as the test needs.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from thinned import thinned
from waiting import LIMIT

from ompls.cli import jobs, pool
from ompls.cli.engine import Options

PROGRAM = "int main(void) {\n  int x = 0;\n#pragma omp target map(tofrom : x)\n  x = 1;\n  return x;\n}\n"
COMMANDS = {
    "run": ["run", "--device", "host", "main.c"],
    "cc": ["cc", "-fopenmp", "-fopenmp-targets=host", "main.c", "-o", "main"],
    "cc of an object": ["cc", "-fopenmp", "-fopenmp-targets=host", "-c", "main.c"],
    "cc without regions": ["cc", "-c", "main.c"],
    "check": ["check", "-isystem", "sys", "main.c"],
    "check with workers": ["check", "--jobs", "2", "-isystem", "sys", *(f"{n}.c" for n in range(12))],
}
CODE = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -signal.SIGKILL}


@pytest.mark.parametrize("entry", [["-m", "ompls"], [str(Path(sys.executable).parent / "ompls")]])
def test_an_early_ctrl_c_is_no_traceback(tmp_path: Path, entry: list[str]) -> None:
    """While our modules are being imported: `argparse`, here, for as long as the test needs."""
    (tmp_path / "argparse.py").write_text("import time\nprint('importing', flush=True)\ntime.sleep(60)\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    child = subprocess.Popen(
        [sys.executable, *entry, "--version"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "importing\n"
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=LIMIT) == ("", "")
    assert child.returncode == -signal.SIGINT


def sources(tmp_path: Path, command: str) -> None:
    """Files with which a command waits for a compiler, and that for us."""
    (tmp_path / "sys").mkdir()
    os.mkfifo(tmp_path / "sys" / "pipe.h")
    (tmp_path / "sys" / "a.h").write_text("#define NAME(x) <x.h>\n#include NAME(pipe)\n")
    include = "#include <a.h>" if command.startswith("check") else "#define HIDDEN(x) #x\n#include HIDDEN(sys/pipe.h)"
    text = f"{PROGRAM}{include}\n"
    for name in ("main", *range(12)):
        (tmp_path / f"{name}.c").write_text(text)


@pytest.mark.parametrize(
    ("command", "number"), thinned([(command, number) for command in COMMANDS for number in CODE], 5)
)
def test_nothing_stays_behind(tmp_path: Path, command: str, number: signal.Signals, family: Any) -> None:
    for name in ("tmp", "cache"):
        (tmp_path / name).mkdir()
    sources(tmp_path, command)
    before = sorted(p.name for p in tmp_path.iterdir())
    env = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "OMPLS_CACHE_DIR": str(tmp_path / "cache")}
    child = subprocess.Popen(
        [sys.executable, "-m", "ompls", *COMMANDS[command]],
        cwd=tmp_path,
        env=env,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # noqa: PLW1509 -- else nohup would decide
    )
    family.waits_for("cc1")
    child.send_signal(number)  # to it alone: no terminal helps
    assert child.wait(LIMIT) in (CODE[number], -number)
    family.ends()
    if number != signal.SIGKILL:
        assert sorted(p.name for p in tmp_path.iterdir()) == before
        assert list((tmp_path / "tmp").iterdir()) == []


# Python sees a signal that another thread gets, and the wait of the main thread goes on: as it does when one comes just
# before the wait begins.
DEAF = """
import importlib, signal, sys, threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
del sys.argv[0]
sys.exit(importlib.import_module(sys.argv[0]).main())
"""


@pytest.mark.parametrize("command", ["run", "check with workers", "the runtime alone"])
def test_no_wait_is_deaf(tmp_path: Path, command: str, ompls, family: Any) -> None:
    if command in COMMANDS:
        sources(tmp_path, command)
        words = ["ompls.__main__", *COMMANDS[command]]
    else:
        os.mkfifo(tmp_path / "pipe.h")
        (tmp_path / "main.c").write_text(PROGRAM)
        assert ompls("translate", "--device", "host", "-o", tmp_path / "bundle", tmp_path / "main.c").code == 0
        flags = ["--cflag=-include", f"--cflag={tmp_path}/pipe.h"]
        words = ["ompls.runtime.__main__", "run", "--device", "host", *flags, str(tmp_path / "bundle")]
    child = subprocess.Popen([sys.executable, "-c", DEAF, *words], cwd=tmp_path)
    family.waits_for("cc1")
    child.send_signal(signal.SIGINT)
    assert child.wait(LIMIT) == CODE[signal.SIGINT]
    family.ends()


def test_what_a_killed_compiler_leaves_goes_with_the_rest(tmp_path: Path, process) -> None:
    real = shutil.which("gcc")
    script = f'#!/bin/sh\ncase " $* " in *" -c "*) touch "$TMPDIR/left.s"; kill -KILL $$;; esac\nexec {real} "$@"\n'
    (tmp_path / "gcc").write_text(script)
    (tmp_path / "gcc").chmod(0o755)
    (tmp_path / "tmp").mkdir()
    (tmp_path / "main.c").write_text(PROGRAM)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path / "tmp")}
    done = process("cc", "-fopenmp", "-c", tmp_path / "main.c", "-o", tmp_path / "main.o", env=env)
    assert done.code != 0
    assert list((tmp_path / "tmp").iterdir()) == []


def test_no_worker_tries_directories_out(tmp_path: Path, monkeypatch) -> None:
    """A worker that is killed while it looks for a temporary directory would leave the file that it tries it with."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    seen: list[str | None] = []
    monkeypatch.setattr(pool, "ProcessPoolExecutor", lambda *_, **__: seen.append(tempfile.tempdir) or 1 / 0)
    names = [str(tmp_path / f"{n}.c") for n in range(20)]
    with pytest.raises(ZeroDivisionError):
        list(jobs.check_all(Options(tuple(names)), names, {}, 2))
    assert seen == [tempfile.gettempdir()]
