"""The standard streams: names and texts that the encoding lacks, readers that go away, full disks, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests_cli_paths import EXAMPLES
from thinned import thinned
from waiting import LIMIT, has_loaded, until

from ompls.cli import main

MISTAKES = b"void f(void)\n{\n" + b"    #pragma omp target nowiat\n    { }\n" * 3 + b"}\n"
ODD_NAMES = {
    "blanks": b"a b.c",
    "not UTF-8": b"\xff\xfe.c",
    "meant for URIs": "\u00e9%20#?.c".encode(),
}
ODD_LOCALES = {
    "UTF-8": {"LC_ALL": "C.UTF-8"},
    "ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii:strict"},
}


def _run(command: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    """A line of shell, in which $OMPLS is the command line."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    env |= {"OMPLS": f"{sys.executable} -m ompls", **options.pop("env", {})}  # type: ignore[dict-item]
    return subprocess.run(["bash", "-c", command], capture_output=True, env=env, check=False, timeout=120, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize(
    ("name", "form", "env"),
    thinned(
        [(n, f, e) for n in ODD_NAMES.values() for f in ("text", "json", "sarif") for e in ODD_LOCALES.values()], 5
    ),
)
def test_every_name_can_be_reported(tmp_path: Path, name: bytes, form: str, env: dict[str, str]) -> None:
    (tmp_path / os.fsdecode(name)).write_bytes(MISTAKES)
    done = _run(f"$OMPLS check --quiet --format {form} ./*.c", cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (1, b"")
    if form == "text":
        assert done.stdout.count(b":3:") == 1
    elif form == "json":
        shown = {found["file"] for found in json.loads(done.stdout)["diagnostics"]}
        assert shown == {name.decode("utf-8", "replace")} or env["LC_ALL"] == "C"
    else:
        results = json.loads(done.stdout)["runs"][0]["results"]
        uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
        assert uris <= {"a%20b.c", "%FF%FE.c", "%C3%A9%2520%23%3F.c"}
        assert len(uris) == 1


@pytest.mark.thorough
def test_a_name_that_is_not_utf_8_can_be_translated(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"s\xff.c")).write_bytes((EXAMPLES / "saxpy.c").read_bytes())
    done = _run("$OMPLS translate -o bundle ./*.c && $OMPLS run --device host ./*.c", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert os.fsencode(json.loads((tmp_path / "bundle/manifest.json").read_bytes())["units"][0]["source"]) == b"s\xff.c"


@pytest.mark.parametrize(
    "command", thinned(["check x.c", "check --format json x.c", "preview saxpy.c", "explain", "--help"], 3)
)
def test_a_reader_that_goes_away_is_no_crash(tmp_path: Path, command: str) -> None:
    (tmp_path / "x.c").write_bytes(MISTAKES)
    (tmp_path / "saxpy.c").write_bytes((EXAMPLES / "saxpy.c").read_bytes())
    assert _run(f"$OMPLS {command} | true", cwd=tmp_path).stderr == b""


@pytest.mark.parametrize("command", ["check x.c", "explain", "--help"])
def test_a_full_disk_is_one_line_of_error(tmp_path: Path, command: str) -> None:
    (tmp_path / "x.c").write_bytes(MISTAKES)
    done = _run(f"$OMPLS {command} > /dev/full", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(b"ompls: error: cannot write the output: No space left on device; ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("command", "code"),
    thinned(
        [
            ("$OMPLS check --quiet x.c >&-", 1),
            ("$OMPLS check x.c 2>&-", 1),
            ("$OMPLS check none.c 2>/dev/full", 2),
            ("$OMPLS run --device host saxpy.c <&- >&- 2>&-", 0),
        ],
        3,
    ),
)
def test_closed_and_full_streams_do_not_change_the_exit_code(tmp_path: Path, command: str, code: int) -> None:
    (tmp_path / "x.c").write_bytes(MISTAKES)
    (tmp_path / "saxpy.c").write_bytes((EXAMPLES / "saxpy.c").read_bytes())
    done = _run(command, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (code, b"")


def test_a_port_that_is_taken_is_one_line_of_error() -> None:
    code = (
        "import socket, subprocess, sys; s = socket.create_server(('127.0.0.1', 0));"
        "port = str(s.getsockname()[1]);"
        "sys.exit(subprocess.run([sys.executable, '-m', 'ompls', 'serve', '--tcp', port]).returncode)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("ompls: error: cannot listen on 127.0.0.1:")
    assert done.stderr.count("\n") == 1


def test_ctrl_c_ends_a_check_at_once_and_silently(tmp_path: Path) -> None:
    path = tmp_path / "long.c"
    path.write_text("".join(f"int f{n}(int n) {{ return n * {n} + f{n - 1}(n); }}\n" for n in range(1, 40_000)))
    child = subprocess.Popen([sys.executable, "-m", "ompls", "check", str(path)], stderr=subprocess.PIPE)
    assert until(lambda: has_loaded(child.pid, "tree_sitter_c"))
    assert child.poll() is None
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=LIMIT)
    assert child.returncode in (130, -signal.SIGINT)  # the latter while the command is imported
    assert errors == b""


def test_ctrl_c_while_a_class_is_made_is_no_bug_of_ours(capsys, monkeypatch) -> None:
    """Python makes a RuntimeError of it."""

    class Interrupted:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr("ompls.cli.check.run", lambda _: type("Made", (), {"field": Interrupted()}))
    assert main(["check", __file__]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("command", ["check -", "cc -fopenmp -x c - -o x"])
def test_a_closed_standard_input_is_named(command: str, tmp_path: Path) -> None:
    done = _run(f"$OMPLS {command} <&-", cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert b"cannot read the standard input: it is closed" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_nul_byte_in_a_response_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "words").write_bytes(b"-c\0x.c")
    done = _run("$OMPLS cc @words", cwd=tmp_path)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"NUL byte" in done.stderr
