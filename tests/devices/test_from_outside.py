"""A device of each kind that is nothing but a folder (folders/NAME): every command knows it, and it runs programs.

`cores` is like a CPU, `simt` like a GPU without CUDA, `tiny` one core with 32 KiB and short pointers, `far` another
process.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import command
import pytest
from thinned import thinned

from ompls.project.layers import read

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = Path(__file__).resolve().parent / "folders"
sys.path.append(str(ROOT / "tools"))
import docs  # noqa: E402 - it is a tool

EXAMPLES = sorted((ROOT / "examples").glob("*.c"))
REGION = """\
int main(void)
{
    int a[4] = {0};
#pragma omp target map(tofrom: a)
    {
        %s
    }
    return a[0] != 7;
}
"""


@dataclass(frozen=True)
class Room:
    """kernels -- the class of its kernels, extension -- of their files
    lacked  -- a statement that it cannot run, and why
    shown   -- what its kernels alone have in them
    """

    kernels: str
    extension: str
    lacked: str
    why: str
    shown: str
    programs: tuple[Path, ...] = tuple(EXAMPLES)


ROOMS = {
    "cores": Room(
        "default", "c", 'asm volatile ("nop");', "the cores over there speak another language", "if(target: 0)"
    ),
    "simt": Room("simt", "cpp", "a[0] = f(3);", "a lane has no stack to speak of", '#include "simt.h"\n'),
    "tiny": Room(
        "tiny", "c", "int n = a[0] + 1; int l[n]; l[0] = 7; a[0] = l[0];",
        "32 KiB hold code, data and stack; give it a constant length", '#include "tiny.h"\n',
        tuple(sorted((FOLDERS / "tiny/programs").glob("*.c"))),
    ),
    "far": Room(
        "default", "c", "a[0] = ({ int q = 7; q; });", "the people over there do not read them", "if(target: 0)"
    ),
}  # fmt: skip
PARTS = FOLDERS / "far/programs/parts.c"
RECURSIVE = "int f(int x) { return x < 2 ? 1 : x * f(x - 1); }\n"
RUNS = [(name, program) for name, room in ROOMS.items() for program in room.programs]
RUNS += [(name, PARTS) for name in ROOMS if name != "tiny"]
called = pytest.mark.parametrize("name", ROOMS)


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(FOLDERS))


def ompls(*words: object, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    done = command.ompls(*words, env={**os.environ, **env})
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done


@called
def test_what_it_lacks_is_found_with_its_reason(name: str, tmp_path: Path) -> None:
    room, source = ROOMS[name], tmp_path / "x.c"
    source.write_text(RECURSIVE + REGION % room.lacked)
    assert f"cannot run on {name}: {room.why}" in ompls("check", "--device", name, source, code=1).stdout
    for words in (("preview",), ("translate", "-o", tmp_path / "bundle")):
        assert room.why in ompls(*words, "--device", name, source, code=1).stderr
    (tmp_path / ".ompls.toml").write_text(f'device = "{name}"\n')
    assert room.why in ompls("check", source, code=1).stdout
    source.write_text(REGION % "a[0] = 7;")
    ompls("check", "--fail-on", "hint", source)


@called
def test_its_kernels_are_shown_and_written(name: str, tmp_path: Path) -> None:
    room, source = ROOMS[name], tmp_path / "x.c"
    source.write_text(REGION % "a[0] = 7;")
    shown = ompls("preview", "--device", name, "--explain", source).stdout
    assert room.shown in shown
    assert "// Each time the host reaches line 4:" in shown
    ompls("translate", "--device", f"{name},host", "-o", tmp_path / "bundle", source)
    manifest = json.loads((tmp_path / "bundle/manifest.json").read_text())
    assert manifest["devices"] == [name, "host"]
    assert manifest["classes"] == list(dict.fromkeys([room.kernels, "default"]))
    (kernel,) = manifest["units"][0]["kernels"]
    path = kernel["files"][room.kernels]
    assert path == f"kernels/{room.kernels}/{kernel['name']}.{room.extension}"
    assert room.shown in (tmp_path / "bundle" / path).read_text()


@pytest.mark.parametrize(
    ("name", "program"), thinned(RUNS, 7, of_rest=5), ids=lambda value: getattr(value, "stem", value)
)
def test_programs_are_right_on_it(name: str, program: Path, tmp_path: Path) -> None:
    device = f"{name}:2" if program.stem == "dot_devices" else name
    record = tmp_path / "trace"
    done = ompls("run", "--device", device, "--trace", record, program, OMP_TARGET_OFFLOAD="mandatory")
    assert done.stderr == ""
    assert done.stdout.endswith(", correct\n")
    events = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    launched = {event["device"] for event in events if event["kind"] == "launch"}
    assert launched == {f"{name}:{number}" for number in range(2 if program.stem == "dot_devices" else 1)}


def test_two_of_them_are_used_by_one_program() -> None:
    done = ompls("run", "--device", "cores,simt", ROOT / "examples/dot_devices.c", OMP_TARGET_OFFLOAD="mandatory")
    assert (done.stdout.endswith(", correct\n"), done.stderr) == (True, "")


def test_what_has_another_layout_on_it_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    declared = "struct s { int a; double b; } s;\n"
    source.write_text(declared + (REGION % "a[0] = 7; s.b = 1;").replace("tofrom: a", "tofrom: a, s"))
    assert "`b`" in ompls("check", "--device", "tiny", source, code=1).stdout
    done = ompls("translate", "--device", "tiny", "-o", tmp_path / "bundle", source, code=1)
    assert "cannot be translated for tiny" in done.stderr
    ompls("check", "--device", "cores", source)


LARGE = """\
static int in(int i) { static const int table[5000] = {1}; return table[i]; }
int main(void)
{
    int n = 0;
#pragma omp target map(tofrom: n)
    n = in(n);
    return n != 1;
}
"""


def test_a_core_has_32_kib(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text((FOLDERS / "tiny/programs/saxpy.c").read_text().replace("N = 1000", "N = 4000"))
    done = ompls("run", "--device", "tiny", source, code=125, OMP_TARGET_OFFLOAD="mandatory")
    assert "no room for 16000 bytes in 20480; mapped now: 'x' 16000 bytes; map less at a time" in done.stderr
    source.write_text(LARGE)
    done = ompls("run", "--device", "tiny", source, code=125)
    assert re.search("code, data and stack take [0-9]+ bytes, a core has 32768", done.stderr)


@called
def test_the_compiler_driver_builds_for_it(name: str, tmp_path: Path) -> None:
    program, built = ROOMS[name].programs[-1], tmp_path / "x"
    ompls("cc", "-O1", "-fopenmp", f"-fopenmp-targets={name}", program, "-o", built, "-lm")
    environment = {**os.environ, "OMP_TARGET_OFFLOAD": "mandatory"}
    done = subprocess.run([built], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout[-10:], done.stderr) == (0, ", correct\n", "")


@called
def test_it_is_told_of_everywhere(name: str) -> None:
    listed = json.loads(ompls("devices", "--json").stdout)["devices"]
    (entry,) = [d for d in listed if d["name"] == name]
    assert (entry["available"], entry["class"]) == (True, ROOMS[name].kernels)
    page = ompls("explain", name).stdout
    assert page.startswith(f"# `{name}`\n")
    assert f" | {ROOMS[name].why} |" in page
    assert (FOLDERS / name / "manual.md").read_text().strip() in page
    assert f"## `{name}`\n" in docs.devices_page()
    assert name in ompls("check", "--help").stdout
    for shell in ("bash", "zsh", "fish"):
        assert name in ompls("completions", shell).stdout
    assert read({"preview": {"device": name}, "run": {"device": name}})[1] == []
    assert f"did you mean '{name}'?" in ompls("check", "--device", name + "x", "x.c", code=2).stderr
    assert f"did you mean {name}?" in ompls("explain", name + "x", code=2).stderr


FAULTS = {
    "raise OSError('no pen')": "its target raises OSError: no pen (__init__.py:1)",
    "import sys; sys.exit()": "its target raises SystemExit (__init__.py:1)",
    "def (": "its target raises SyntaxError: ",
    "TARGET = None": "its target has no TARGET that is a KernelClass on a device",
    "kernel=lambda *_: 1 / 0": "its target raises ZeroDivisionError: division by zero (__init__.py:4)",
    "kernel=lambda *_: ['text']": "its target raises TypeError: it gives list, no list of OutLine",
    "kernel=3": "its TARGET cannot be used: kernel has a value of another type",
    "passes=(lambda work: work.nothing,)": "its target raises AttributeError: ",
    "passes=[len]": "its TARGET cannot be used: passes has a value of another type",
    "extension=3": "its TARGET cannot be used: extension has",
    "extension='../../x'": "its TARGET cannot be used: extension has",
    "language=3": "its TARGET cannot be used: language has",
    "kinds=('any',)": "its TARGET cannot be used: kinds has",
    "architectures=3": "its TARGET cannot be used: architectures has",
    "openmp=3": "its TARGET cannot be used: openmp has",
    "kernel=lambda *_: [OutLine(3)]": "its target raises TypeError: a field of an OutLine has",
    "kernel=lambda *_: [OutLine('', '', 'x')]": "its target raises TypeError: a field of an OutLine has",
}
OWN = """from dataclasses import replace
from ompls.translate.output import OutLine
from ompls.translate.transformations import default
TARGET = replace(default.CLASS, {})
"""


@pytest.mark.parametrize("text", thinned(FAULTS, 3, of_rest=3))
def test_what_a_target_raises_is_told_in_one_line(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(FOLDERS / "simt", tmp_path / "devices/simt")
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(tmp_path / "devices"))
    is_part = re.match(r"[a-z]+=", text)
    (tmp_path / "devices/simt/target/__init__.py").write_text(OWN.format(text) if is_part else text + "\n")
    source = tmp_path / "x.c"
    source.write_text(REGION % "a[0] = 7;")
    for words, code in ((("preview",), 2), (("translate", "-o", tmp_path / "bundle"), 2), (("run",), 125)):
        done = ompls(*words, "--device", "simt", source, code=code)
        assert done.stderr.startswith(f"ompls: error: cannot translate for simt: {FAULTS[text]}")
        assert done.stderr.count("\n") == 1
    ompls("check", "--device", "simt", source)
    ompls("preview", "--device", "cuda", source)


def test_what_a_target_prints_is_no_part_of_a_preview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(FOLDERS / "simt", tmp_path / "devices/simt")
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(tmp_path / "devices"))
    source = tmp_path / "x.c"
    source.write_text(REGION % "a[0] = 7;")
    target = tmp_path / "devices/simt/target/__init__.py"
    quiet = ompls("preview", "--device", "simt", source)
    target.write_text(
        target.read_text() + "\nprint('loaded')\nfrom dataclasses import replace\n"
        "TARGET = replace(TARGET, passes=(*TARGET.passes, lambda round: print('asked')))\n"
    )
    done = ompls("preview", "--device", "simt", source)
    assert done.stdout == quiet.stdout
    assert done.stderr.splitlines()[:2] == ["loaded", "asked"]


def test_a_device_may_have_no_shared_set_behind_its_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "devices/own/target").mkdir(parents=True)
    (tmp_path / "devices/own/device.toml").write_text('title = "of its own kind"\n')
    (tmp_path / "devices/own/target/__init__.py").write_text(OWN.format("extension='own'"))
    (tmp_path / "devices/twin").mkdir()
    (tmp_path / "devices/twin/device.toml").write_text('title = "another one"\nlike = "own"\n')
    monkeypatch.setenv("OMPLS_DEVICE_PATH", str(tmp_path / "devices"))
    source = tmp_path / "x.c"
    source.write_text(REGION % "a[0] = 7;")
    ompls("check", "--device", "own", source)
    ompls("translate", "--device", "twin,own", "-o", tmp_path / "bundle", source)
    manifest = json.loads((tmp_path / "bundle/manifest.json").read_text())
    assert manifest["classes"] == ["own"]
    assert manifest["units"][0]["kernels"][0]["files"]["own"].endswith(".own")
    (tmp_path / "devices/own").rename(tmp_path / "devices/gpu")
    (tmp_path / "devices/twin/device.toml").write_text('title = "another one"\nlike = "gpu"\n')
    done = ompls("preview", "--device", "gpu", source, code=2)
    assert "'gpu' is a shared class of kernels: rename the folder" in done.stderr
