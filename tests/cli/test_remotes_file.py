"""The file of the boards: changed by several at once, with entries that make no sense, or no file at all."""

from __future__ import annotations

import codecs
import json
import os
import subprocess
import sys
from pathlib import Path

from command import ompls

_CHANGE = """\
import sys, time
from ompls.runtime.boards import registered
def more(known):
    time.sleep(0.05)
    return {**known, sys.argv[1]: registered.Board(sys.argv[1], "nowhere.invalid")}
registered.change(more)
"""


def entry(name: str, device: str) -> dict[str, object]:
    return {"name": name, "address": "nowhere.invalid", "device": device, "directory": ".ompls", "facts": {}}


def kept(place: Path, *entries: dict[str, object]) -> dict[str, str]:
    """An environment with these boards."""
    file = place / "ompls/remotes.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"version": 1, "remotes": entries}))
    return {**os.environ, "XDG_CONFIG_HOME": str(place)}


def test_who_adds_at_once_loses_no_board(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    names = [f"board{number}" for number in range(5)]
    changes = [subprocess.Popen([sys.executable, "-c", _CHANGE, name], env=environment) for name in names]
    assert [change.wait(60) for change in changes] == [0] * 5
    listed = json.loads(ompls("remote", "list", "--json", env=environment).stdout)["remotes"]
    assert sorted(one["name"] for one in listed) == names
    assert sorted(os.listdir(tmp_path / "ompls")) == [".remotes-lock", "remotes.json"]


def test_a_board_that_makes_no_sense_is_one_broken_entry(tmp_path: Path) -> None:
    entries = [entry("one", "host"), entry("two", "one"), entry("three", "three"), entry("four", "gone")]
    environment = kept(tmp_path, *entries)
    done = ompls("devices", "--json", env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    found = {device["name"]: device for device in json.loads(done.stdout)["devices"]}
    assert found["one"]["available"]
    for name, inner in (("two", "one"), ("three", "three"), ("four", "gone")):
        assert found[name]["reason"] == f"'{inner}' is no device that can be inside"
        source = tmp_path / "main.c"
        source.write_text("int main(void) {\n#pragma omp target\n  ;\n}\n")
        done = ompls("run", "--device", name, source, env=environment)
        assert done.returncode == 125
        assert f"'{inner}' is no device that can be inside" in done.stderr


def test_a_board_is_no_device_inside_another(tmp_path: Path) -> None:
    done = ompls("remote", "add", "two", "nowhere.invalid", "--device", "one", env=kept(tmp_path, entry("one", "host")))
    assert done.returncode == 2
    assert done.stderr == ("ompls: error: cannot add two: one is a board, not a device inside; name another --device\n")


def test_names_that_differ_in_case_are_one_name(tmp_path: Path) -> None:
    """Editors write the device of a preview's address in lower case."""
    environment = kept(tmp_path, entry("Nano", "host"))
    said = {name: ompls("remote", "add", name, "nowhere.invalid", env=environment).stderr for name in ("nano", "CUDA")}
    assert said == {
        "nano": "ompls: error: cannot add nano: there is a board Nano, and editors do not tell them apart; "
        "choose another name\n",
        "CUDA": "ompls: error: cannot add CUDA: a device has that name; choose another one\n",
    }


def test_what_is_no_file_of_a_disk_is_refused(tmp_path: Path) -> None:
    environment = kept(tmp_path, entry("one", "host"))
    os.mkfifo(tmp_path / "fifo")
    for program, why in (
        (tmp_path / "fifo", "is not a regular file; name a program that is linked"),
        ("/dev/zero", "is not a regular file; name a program that is linked"),
        (tmp_path / "nothing", "no such file; check the spelling of the path"),
    ):
        done = ompls("remote", "exec", "one", program, env=environment)
        assert (done.returncode, why in done.stderr, "Errno" in done.stderr) == (125, True, False), done.stderr
    assert ompls("remote", "exec", "one", env=environment).returncode == 125
    file = tmp_path / "ompls/remotes.json"
    file.unlink()
    os.mkfifo(file)
    done = ompls("remote", "list", env=environment)
    assert done.returncode == 2
    assert f"{file}: it is not a regular file" in done.stderr
    hosts = {**os.environ, "OMPLS_HOSTFILE": str(tmp_path / "fifo")}
    assert "it is not a regular file" in ompls("devices", env=hosts).stdout


def test_a_board_is_among_the_devices(tmp_path: Path) -> None:
    environment = kept(tmp_path, entry("nano", "host"))
    file = tmp_path / "ompls/remotes.json"
    file.write_bytes(codecs.BOM_UTF8 + file.read_bytes())  # of an editor
    done = ompls("explain", "nano", env=environment)
    assert done.returncode == 0
    assert done.stdout.startswith("nano is a board over SSH (nowhere.invalid), with the device host inside:\n\n")
    done = ompls("check", "--device", "nosuch", __file__, env=environment)
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(", nano")
