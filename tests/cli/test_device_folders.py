"""A device that is added from outside, without a word of ours: every command knows it."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from thinned import thinned

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
    (tmp_path / "devices/later").mkdir()
    text = 'title = "a plan"\nlike = "host"\nplanned = "nobody has built it"\n'
    text += '[lacks]\n"type long double" = "no such number"\n'
    (tmp_path / "devices/later/device.toml").write_text(text)
    program.write_text(TEXT.replace("int a[4]", "long double a[4]").replace("%d", "%Lf"))
    assert "cannot run on later: no such number" in ompls("check", "--device", "later", program).out
    plan = "warning: device 'later' is planned: nobody has built it; it can be checked for, and "
    assert ompls("check", "--device", "later,host", program, program).err.count(plan) == 1
    why = "cannot translate for later: nobody has built it; choose one of"
    for words, code in [(("preview",), 2), (("translate", "-o", tmp_path / "bundle"), 2)]:
        done = ompls(*words, "--device", "later", program)
        assert (done.code, why in done.err) == (code, True)
    for words, code in [(("run", "--device", "later"), 125), (("cc", "-fopenmp", "-fopenmp-targets=later"), 1)]:
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


BROKEN = {
    "raise RuntimeError('no lab today')": "its module raises RuntimeError: no lab today (__init__.py:1)",
    "import sys; sys.exit(3)": "its module raises SystemExit: 3",
    "def (": "its module raises SyntaxError",
    "import not_there_at_all": "its module raises ModuleNotFoundError",
    "DEVICE = 3": "its module has no DEVICE that is an ompls.runtime.devices.Device",
    "": "its module has no DEVICE",
}
HALF = """
from ompls.runtime.devices import Availability, Device
class Half(Device):
    image_class = kernel_class = "default"
    def probe(self): {probe}
    def build_image(self, job): {image}
DEVICE = Half()
"""
BROKEN |= {
    HALF.format(probe="raise KeyError('x')", image="pass"): "its module raises KeyError: 'x'",
    HALF.format(probe="return True", image="pass"): "its probe gives True, no Availability",
    HALF.format(probe="return Availability(False)", image="pass"): "its module says no more",
    HALF.format(probe="pass", image="pass").replace("image_class = ", ""): "its DEVICE has no image_class",
    HALF.format(probe="pass", image="pass").replace("def build_image", "def other"): "its module raises TypeError",
}

MUTE = "class Mute(Exception):\n    def __str__(self): raise {}\n"
FIT = HALF.format(probe="return Availability(True)", image="pass")
BROKEN |= {
    MUTE.format("ValueError") + "raise Mute": "its module raises Mute (__init__.py:3)",
    MUTE.format("SystemExit") + FIT.replace("Availability(True)", "1 / Mute()"): "its module raises TypeError",
    "raise OSError('a\\x1b[2Jb\\rc')": "its module raises OSError: a\ufffd[2Jb c (__init__.py:1)",
    FIT.replace("Availability(True)", "Availability(False, '\\x1b[2J')"): "\ufffd[2J",
    FIT + "Half.name = property(lambda self: 1 / 0)": "its module raises ZeroDivisionError",
    FIT + "Half.folder = property(lambda self: 1 / 0)": "its module raises ZeroDivisionError",
    FIT + "Half.name = 'host'": "its DEVICE has no name and folder of its own",
    "from ompls.devices.host.module import DEVICE": "its DEVICE has no name and folder of its own",
    FIT + "Half.checks = property(lambda self: 1 / 0)": "its module raises ZeroDivisionError",
    FIT + "Half.needs_library = 3": "its DEVICE has no needs_library",
    FIT + "Half.python_module = 3": "its DEVICE has no python_module that can be called",
}


@pytest.mark.parametrize("text", thinned(BROKEN, 12, of_rest=5))
def test_a_broken_module_harms_nobody_else(process, program: Path, text: str) -> None:
    module = program.parent / "devices/lab/module/__init__.py"
    module.write_text(text)
    listed = process("devices")
    assert (listed.code, listed.err) == (0, "")
    (line,) = [line for line in listed.out.splitlines() if line.startswith("lab ")]
    assert line.startswith("lab        not available: " + BROKEN[text])
    assert "cudasim    available" in listed.out
    done = process("run", "--device", "lab", program)
    assert done.code == 125
    assert BROKEN[text] in done.err
    assert process("run", program).code == 0


@pytest.mark.parametrize("part", ["module", "target"])
def test_a_signal_that_comes_while_it_works_is_no_fault_of_it(process, program: Path, part: str) -> None:
    code = program.parent / "devices/lab" / part / "__init__.py"
    code.parent.mkdir(exist_ok=True)
    code.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n")
    done = process("run", "--device", "lab", program)
    assert (done.code, done.out, done.err) == (128 + signal.SIGTERM, "", "")


@pytest.mark.parametrize(
    ("image", "why"), [("return 1 / 0", "its module raises ZeroDivisionError"), ("pass", "gives None")]
)
def test_an_image_that_is_none_is_told(process, program: Path, image: str, why: str) -> None:
    module = program.parent / "devices/lab/module/__init__.py"
    module.write_text(HALF.format(probe="return Availability(True)", image=image))
    done = process("run", "--device", "lab", program)
    assert done.code == 125
    assert f"the image of 'lab': {why}" in done.err or f"the image of 'lab': its module {why}" in done.err


def test_what_a_module_prints_is_no_part_of_our_output(ompls, process, program: Path) -> None:
    module = program.parent / "devices/lab/module/__init__.py"
    module.write_text(module.read_text() + "print('loaded')\n")
    done = process("devices", "--json")
    assert [d["available"] for d in json.loads(done.out)["devices"] if d["name"] == "lab"] == [True]
    assert done.err == "loaded\n"
    module.write_text(HALF.format(probe="print('asked'); return Availability(True)", image="print('built')"))
    done = process("devices", "--json")
    assert json.loads(done.out)["devices"]
    assert done.err == "asked\n"
    done = process("run", "--device", "lab", program)
    assert (done.out, done.err.count("built\n")) == ("", 1)


def test_a_device_without_a_module_and_one_of_an_unknown_class(ompls, process, program: Path) -> None:
    shutil.rmtree(program.parent / "devices/lab/module")
    assert "lab        not available: its folder has no module/" in ompls("devices").out
    done = process("run", "--device", "lab", program)
    assert (done.code, "its folder has no module/ to run it; choose one of: " in done.err) == (125, True)
    data = program.parent / "devices/lab/device.toml"
    data.write_text(data.read_text().replace("[lacks]", 'kernels = "opencl"\n[lacks]'))
    done = ompls("preview", "--device", "lab", program)
    assert done.code == 2
    assert "cannot translate for lab: nothing makes kernels of class 'opencl'" in done.err
    assert ompls("check", "--device", "lab", program).code == 0


def test_a_native_half_finds_the_header_of_the_protocol(process, program: Path) -> None:
    module = program.parent / "devices/lab/module"
    host = Path(__file__).resolve().parents[2] / "ompls/devices/host/module"
    for file in host.glob("*.*"):
        text = file.read_text().replace("../../../runtime/core/", "").replace('"host"', '"lab"')
        (module / file.name).write_text(text)
    done = process("run", "--device", "lab:2", program, env={"OMP_TARGET_OFFLOAD": "mandatory"})
    assert (done.code, done.out, done.err) == (0, "7\n", "")


def test_what_is_wrong_with_the_chosen_device_is_told_once(ompls, program: Path) -> None:
    data = program.parent / "devices/lab/device.toml"
    shutil.copytree(data.parent, data.parent.parent / "other")
    (data.parent.parent / "other/device.toml").write_text("title = 3")
    data.write_text("title = 4")
    done = ompls("check", "--device", "lab", program)
    assert (done.code, done.err.count("\n")) == (2, 2)
    assert "warning: " in done.err
    assert done.err.count("got 4") == done.err.count("got 3") == 1


def test_a_program_says_which_device_it_does_not_find(process, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = program.parent / "x"
    assert process("cc", "-fopenmp", "-fopenmp-targets=lab", program, "-o", built).code == 0

    def run() -> tuple[int, str, str]:
        done = subprocess.run([built], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.split("\n")[0], done.stderr

    assert run() == (0, "7", "")
    warning = "ompls: warning: device 'lab' is not available: "
    (program.parent / "devices/lab/module/__init__.py").write_text("raise OSError('gone')")
    assert run() == (0, "7", f"{warning}its module raises OSError: gone (__init__.py:1)\n")
    monkeypatch.delenv("OMPLS_DEVICE_PATH")
    assert run() == (0, "7", f"{warning}no folder or board of that name is found; see OMPLS_DEVICE_PATH\n")
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "disabled")
    assert run() == (0, "7", "")


def test_its_page_is_made_of_its_folder(ompls, program: Path) -> None:
    shown = ompls("explain", "lab").out
    assert "| the type `double` | the lab is too poor |" in shown
    assert "Its folder has no `manual.md`." in shown
    (program.parent / "devices/lab/manual.md").write_text("## Who has the key\n\nAsk at the door.\n")
    assert ompls("explain", "lab").out.endswith("## Who has the key\n\nAsk at the door.\n")
    assert "lab" in ompls("explain").out.split("devices:")[1]
    assert "did you mean lab?" in ompls("explain", "labb").err
    words = ompls("completions", "bash").out.split('explain) case "$word"')[1].split("esac")[0]
    assert " lab" in words
    (program.parent / "devices/lab/device.toml").write_text("title = 3")
    done = ompls("explain", "lab")
    assert (done.code, "title: expected a text on one line" in done.err) == (2, True)
