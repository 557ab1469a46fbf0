"""`ompls graph`: its formats and exit codes.  Commands are forks of one process; nothing is compiled."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from command import ompls

from ompls.cli.places import shown

PROGRAM = """
int a[4];
void known(void) {
#pragma omp taskgraph nogroup
    for (int i = 0; i < 3; i++) {
#pragma omp target nowait depend(inout: a[0]) map(a)
        a[0]++;
    }
}
void unknown(int n) {
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout: a[i])
        a[i]++;
    }
}
void plain(void) {}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "a.c"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def test_text(program: Path) -> None:
    done = ompls("graph", "--line", "5", program)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"{shown(str(program))}:4: known: 3 tasks, 3 levels, 2 edges, 1 in the largest, 16 bytes mapped at once\n"
        " * level 1  0: target, line 6 [i=0]\n"
        " * level 2  1: target, line 6 [i=1]  after 0 (a[0])\n"
        " * level 3  2: target, line 6 [i=2]  after 1 (a[0])\n"
    )


def test_what_is_not_static_has_a_reason(program: Path) -> None:
    done = ompls("graph", program)
    assert done.returncode == 1
    assert "known: 3 tasks" in done.stdout
    assert (
        done.stderr
        == f"{shown(str(program))}:11:21: not static: the trip count of `i` depends on `n`, which is a parameter\n"
    )


def test_json(program: Path) -> None:
    done = ompls("graph", "--format", "json", program)
    assert done.returncode == 1
    known, unknown = json.loads(done.stdout)["graphs"]
    assert (known["tasks"], known["critical"], known["static"]) == (3, [0, 1, 2], True)
    assert known["edges"] == [{"from": 0, "to": 1, "item": "a[0]"}, {"from": 1, "to": 2, "item": "a[0]"}]
    assert known["nodes"][2]["indices"] == {"i": 2}
    assert unknown["reason"]["line"] == 11


def test_pictures(program: Path) -> None:
    dot = ompls("graph", "--format", "dot", "--line", "5", program).stdout
    assert "g0n0 -> g0n1;" in dot
    picture = ET.fromstring(ompls("graph", "--format", "svg", "--line", "5", program).stdout)
    assert len(picture.findall("{http://www.w3.org/2000/svg}g")) == 3


def test_errors(program: Path) -> None:
    for words, said in (
        (("--line", "17"), f"no task graph at line 17 of {program}: there are some at 4, 12"),
        (("--line", "x"), "invalid int value"),
        (("--format", "png"), "invalid choice"),
    ):
        done = ompls("graph", *words, program)
        assert done.returncode == 2
        assert said in done.stderr
    program.write_text("int x;\n", encoding="utf-8")
    assert "there is no `taskgraph`" in ompls("graph", program).stderr
