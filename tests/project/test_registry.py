"""The registry of devices: what their folders say, and which folders are taken."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from named import devices

from ompls.analysis.model.datamodel import LP64
from ompls.analysis.spec.devices import NOT_YET
from ompls.project.devices import registry
from ompls.project.problem import EnvironmentProblem
from ompls.runtime import folders
from ompls.runtime.devices import all_devices

BOARD = """\
title = "a board"
like = "host"
[limits]
stack = 100
[lacks]
"varargs" = "never"
[slow]
"division" = "it is a call"
[abi]
model = "ilp32"
long_double = 16
char = "unsigned"
[functions]
groups = ["float"]
names = "abs labs"
others = "it is too small"
"""


def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, name: str = "board") -> Path:
    (tmp_path / name).mkdir(parents=True, exist_ok=True)
    (tmp_path / name / "device.toml").write_text(text)
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(tmp_path))
    return tmp_path / name


def test_ours_say_the_same_to_everybody() -> None:
    known = registry()
    assert known.problems == ()
    assert [*known.devices] == sorted(known.devices)
    modules = all_devices()
    assert set(modules) == {d.name for d in known.devices.values() if not d.planned}
    for name, module in modules.items():
        assert module.kernel_class == known.devices[name].kernel_class


def test_a_device_says_what_is_other_than_in_the_one_that_it_is_like(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder(tmp_path, monkeypatch, BOARD)
    known = registry()
    board, host = known.devices["board"], known.devices["host"]
    assert known.folders["board"] == path
    assert (board.title, board.kernels, board.stack, board.no_function) == (
        "a board",
        "default",
        100,
        "it is too small",
    )
    assert board.lacks == {**host.lacks, "varargs": "never"}
    assert NOT_YET.items() <= board.lacks.items()
    model = board.data_model(LP64)
    assert (model.long, model.pointer, model.long_double, model.signed_char) == (4, 4, 16, False)
    assert host.data_model(model) is model
    assert board.can_call("sinf")
    assert board.can_call("abs")
    assert not board.can_call("sin")
    (path / "device.toml").write_text(BOARD.replace("100", "200"))
    assert registry().devices["board"].stack == 200


WRONG = [
    ("title = ", "is not TOML"),
    ('title = "x"\n', "kernels is missing"),
    (BOARD.replace('"host"', '"board"'), "like = 'board' goes round in a circle"),
    (BOARD.replace('"host"', '"nobody"'), "like = 'nobody' names no device that can be read"),
    (BOARD.replace('"host"', '["host"]'), "like: expected a text on one line, got ['host']"),
    (BOARD.replace("title", "titel"), "there is no key 'titel'"),
    (BOARD.replace('"a board"', "3"), "title: expected a text on one line, got 3"),
    (BOARD.replace("a board", "a\\nboard"), "title: expected a text on one line, got 'a\\nboard'"),
    (BOARD.replace('"never"', '"\\u001b[2J"'), "lacks.varargs: expected a text on one line"),
    (
        BOARD.replace("stack = 100", "stack = -1"),
        "limits.stack: expected a number from 0 to 9223372036854775807, got -1",
    ),
    (BOARD.replace("stack = 100", "stck = 1"), "limits has no 'stck'; it may have stack"),
    (BOARD.replace("division", "divison"), "slow: there is no ability 'divison'; did you mean 'division'?"),
    (BOARD.replace('["float"]', '["flaot"]'), "functions.groups has no 'flaot'; it may have math"),
    (BOARD.replace('"ilp32"', '"lp32"'), "abi.model: expected one of lp64, ilp32, got 'lp32'"),
    (BOARD.replace('"ilp32"', "32"), "abi.model: expected one of lp64, ilp32, got 32"),
    (BOARD.replace("= 16", "= 17"), "abi.long_double: expected one of (1, 2, 4, 8, 10, 12, 16), got 17"),
    (BOARD.replace("long_double", "longdouble"), "abi has no 'longdouble'; it may have model, long, pointer"),
    (BOARD.replace('"unsigned"', '"none"'), "abi.char: expected one of signed, unsigned, got 'none'"),
    (BOARD.replace("stack = 100", f"stack = {10**27}"), "limits.stack: expected a number from 0 to 92233720368547758"),
    (BOARD.replace("stack = 100", f"stack = {'9' * 5000}"), "is not TOML (Exceeds the limit"),
    (BOARD.replace("stack = 100", f"stack = 0x{'f' * 5000}"), "got a number of too many digits"),
    (BOARD.replace("[limits]", "limits = 3\n[others]"), "limits: expected a table, got 3"),
]


@pytest.mark.parametrize(("text", "why"), WRONG)
def test_a_mistake_is_named_and_the_device_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str
) -> None:
    path = folder(tmp_path, monkeypatch, text)
    known = registry()
    assert "board" not in known.devices
    (problem,) = known.problems
    assert problem.what == str(path / "device.toml")
    assert why in problem.reason
    with pytest.raises(EnvironmentProblem, match=r"board/device\.toml"):
        known.chosen("host,board")


def test_a_chain_of_devices_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(tmp_path, monkeypatch, BOARD, "d0")
    for number in range(1, 1500):
        folder(tmp_path, monkeypatch, f'title = "x"\nlike = "d{number - 1}"\n', f"d{number}")
    known = registry()
    assert "d20" in known.devices
    assert "d40" not in known.devices
    assert len(known.problems) + len(known.devices) == 1505
    assert {p.reason for p in known.problems} == {"like: more than 32 devices, each like the next one"}


@pytest.mark.parametrize(
    ("mode", "relative", "why"),
    [(0o777, False, "can be written by others"), (0o775, False, "can be written by others"), (0o755, True, "absolute")],
)
def test_directories_that_others_can_change_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, relative: bool, why: str
) -> None:
    folder(tmp_path, monkeypatch, BOARD)
    tmp_path.chmod(mode)
    monkeypatch.setattr(folders, "_is_only_ours", lambda group: False)
    if relative:
        monkeypatch.chdir(tmp_path.parent)
        monkeypatch.setenv("OMPLS_DEVICE_PATH", tmp_path.name)
    known = registry()
    assert "board" not in known.devices
    (problem,) = known.problems
    assert why in problem.reason
    with pytest.raises(EnvironmentProblem, match="unknown device 'board'"):
        known.chosen("board")


def test_lists_and_counts_name_each_device_once() -> None:
    known = registry()
    assert known.chosen("cudasim:2, host,cudasim") == devices("cudasim", "host")
    assert known.chosen("auto") == devices("cuda")
    for text, why in [
        ("host:0", "'0' is not a number"),
        ("host:x", "'x' is not"),
        ("hots", "did you mean 'host'"),
        ("", "unknown"),
    ]:
        with pytest.raises(EnvironmentProblem, match=why):
            known.chosen(text)


@pytest.mark.parametrize(
    "name", ["host", "epiphany", "auto", "$(touch x)", 'a"b', "a b", "a:2", "a,b", "-dash", "2fast", "gr\u00fcn"]
)
def test_a_folder_has_a_name_of_its_own_that_lists_and_shells_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder(tmp_path, monkeypatch, BOARD, name)
    known = registry()
    assert {*known.devices} == {"cuda", "cudasim", "epiphany", "host", "mpinode"}
    assert known.devices["host"].title != "a board"
    (problem,) = known.problems
    assert re.search("its name is not made of letters|that name is taken", problem.reason)


def test_what_links_lead_to_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also below the directory that is named, and also for single files."""
    others = tmp_path / "others/devices"
    others.mkdir(parents=True)
    folder(others, monkeypatch, BOARD)
    (tmp_path / "own").mkdir()
    (tmp_path / "others").chmod(0o777)
    (tmp_path / "link").symlink_to(others)
    (tmp_path / "own/board").symlink_to(others / "board")
    for place in ("link", "own"):
        monkeypatch.setenv("OMPLS_DEVICE_PATH", str(tmp_path / place))
        assert "board" not in registry().devices
    (tmp_path / "others").chmod(0o755)
    assert "board" in registry().devices
    (others / "board/device.toml").chmod(0o666)
    assert "board" not in registry().devices
    (others / "board/device.toml").unlink()
    (others / "board/device.toml").symlink_to("nowhere")
    assert "device.toml" in registry().problems[0].what


@pytest.mark.parametrize(
    ("link", "leads_to"),
    [
        ("module", "others"),  # a directory
        ("module/helper.py", "others/__init__.py"),
        ("module/helper.py", "hop"),  # back into the folder, through what others write
        ("../board", "others/hop"),  # as that, for the folder itself
    ],
)
def test_no_code_is_reached_through_what_others_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str, leads_to: str
) -> None:
    others, real = tmp_path / "others", tmp_path / "real"
    others.mkdir()
    ran = tmp_path / "ran"
    (others / "__init__.py").write_text(f"open({str(ran)!r}, 'w')\n")
    path = folder(tmp_path / "devices", monkeypatch, BOARD)
    (path / "module").mkdir()
    (path / "module/__init__.py").write_text("from . import helper\n")
    (path / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    (others / "hop").symlink_to(real if link == "../board" else path / "own.py")
    (path / "hop").symlink_to(others / "hop")
    if link == "../board":
        path.rename(real)
        (real / "hop").unlink()
    elif link == "module":
        (path / "module/__init__.py").unlink()
        (path / "module").rmdir()
    (path.parent / "board" / link if link != "../board" else path).symlink_to(
        path / leads_to if leads_to == "hop" else tmp_path / leads_to
    )
    others.chmod(0o777)
    assert "board" not in all_devices()
    assert "board" not in registry().devices
    assert [p.what for p in registry().problems] == [f"OMPLS_DEVICE_PATH: {path}"]
    assert not ran.exists()


def test_links_stay_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(tmp_path / "devices", monkeypatch, BOARD)
    (tmp_path / "src").mkdir()
    (tmp_path / "src/__init__.py").write_text("DEVICE = 3\n")
    (path / "module").symlink_to("../../src")
    (problem,) = registry().problems
    assert problem.reason == f"{path / 'module'} leads out of the folder"
    assert "board" not in all_devices()
    (path / "module").unlink()
    (tmp_path / "src").rename(path / "newest")
    (path / "module").symlink_to("newest")
    assert registry().problems == ()
    assert all_devices()["board"].name == "board"


@pytest.mark.parametrize("part", ["module", "target"])
def test_code_that_is_no_regular_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    path = folder(tmp_path / "devices", monkeypatch, BOARD)
    (path / part).mkdir()
    os.mkfifo(path / part / "__init__.py")
    (problem,) = registry().problems
    assert problem.reason == f"{path / part / '__init__.py'} is no regular file"


def test_the_directory_that_a_device_is_in_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(folder(tmp_path, monkeypatch, BOARD)))
    (problem,) = registry().problems
    assert "name the directory that it is in" in problem.reason
    monkeypatch.setenv("OMPLS_DEVICE_PATH", f"{tmp_path}:{tmp_path}/../{tmp_path.name}")
    assert registry().problems == ()
