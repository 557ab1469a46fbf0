"""A device that is added from outside, without a word of ours: every command knows it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

PYHOST = Path(__file__).resolve().parents[1] / "runtime/devices/pyhost"
TEXT = """\
#include <stdio.h>
int main(void)
{
    int a[4] = {0};
#pragma omp target map(tofrom: a)
    a[0] = 7;
    printf("%d\\n", a[0]);
    return 0;
}
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(PYHOST, tmp_path / "devices/lab")
    data = tmp_path / "devices/lab/device.toml"
    data.write_text(data.read_text() + '[lacks]\n"type double" = "the lab is too poor"\n')
    module = tmp_path / "devices/lab/module/__init__.py"
    module.write_text(module.read_text().replace('"pyhost"', '"lab"'))
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(tmp_path / "devices"))
    path = tmp_path / "x.c"
    path.write_text(TEXT)
    return path


def test_it_is_listed_checked_previewed_translated_and_run(ompls, process, program: Path, tmp_path: Path) -> None:
    listed = json.loads(ompls("devices", "--json").out)["devices"]
    assert [d["available"] for d in listed if d["name"] == "lab"] == [True]
    assert "lab" in ompls("check", "--help").out
    assert "lab" in ompls("completions", "bash").out
    assert ompls("check", "--device", "lab:2,cudasim", program).code == 0
    assert "a[0] = 7;" in ompls("preview", "--device", "lab", program).out
    assert ompls("translate", "--device", "lab,cudasim", "-o", tmp_path / "bundle", program).code == 0
    manifest = json.loads((tmp_path / "bundle/manifest.json").read_text())
    assert (manifest["devices"], manifest["classes"]) == (["lab", "cudasim"], ["default", "gpu"])
    done = process("run", "--device", "lab:2", program)
    assert (done.code, done.out.splitlines()[0]) == (0, "7")
    assert process("cc", "-fopenmp", "-fopenmp-targets=lab", program, "-o", tmp_path / "x").code == 0


def test_what_it_lacks_is_refused_by_all(ompls, process, program: Path, tmp_path: Path) -> None:
    program.write_text(TEXT.replace("a[0] = 7;", "a[0] = 7 * (double)a[1];"))
    (tmp_path / ".ompls.toml").write_text('device = "lab"\n')
    for words in (("check", program), ("check", "--device", "host,lab", program)):
        done = ompls(*words)
        assert (done.code, done.out.count("cannot run on lab: the lab is too poor")) == (1, 1)
    for words in (("preview", program), ("translate", "-o", tmp_path / "bundle", program)):
        done = ompls(words[0], "--device", "lab", *words[1:])
        assert done.code == 1
        assert "the lab is too poor" in done.err
    assert process("run", "--device", "lab", program).code == 125


def test_a_planned_device_is_checked_and_nothing_else(ompls, process, program: Path, tmp_path: Path) -> None:
    program.write_text(TEXT.replace("int a[4]", "long double a[4]").replace("%d", "%Lf"))
    assert (
        "cannot run on epiphany: a core has no number of its size"
        in ompls("check", "--device", "epiphany", program).out
    )
    why = "cannot translate for epiphany: no kernels are made for its cores yet; choose one of"
    for words, code in [(("preview",), 2), (("translate", "-o", tmp_path / "bundle"), 2)]:
        done = ompls(*words, "--device", "epiphany", program)
        assert (done.code, why in done.err) == (code, True)
    for words, code in [(("run", "--device", "epiphany"), 125), (("cc", "-fopenmp", "-fopenmp-targets=epiphany"), 1)]:
        done = process(*words, program)
        assert (done.code, why in done.err) == (code, True)


def test_a_directory_that_others_can_write_is_left_out(ompls, process, program: Path, tmp_path: Path) -> None:
    (tmp_path / "devices").chmod(0o777)
    for command in ("check", "run"):
        done = process(command, "--device", "lab", program)
        assert done.code == (125 if command == "run" else 2)
        assert "can be written by others; it is left out" in done.err
        assert "unknown device 'lab'" in done.err
    assert process("run", "--device", "host", program).code == 0
