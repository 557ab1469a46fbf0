"""What a compiler says of generated text is told at the user's line; what it says of the user's text in its words."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ompls.devices.cuda.module import nvrtc
from ompls.translate.hosttext import HostText
from ompls.translate.output import OutLine

PROGRAM = """int main(void)
{
    int a[4] = {0}, x = 1;
#pragma omp target map(tofrom: a)%s
    a[0] = x;
    return a[0] - 1;
}
"""
OURS = re.compile(
    r"ompls: error: (?P<where>\S+): (?P<who>[^;]*) does not take what is made of this line; this is a fault of ompls,"
    r" or more than it can do: write the line in another way, or choose another device; what the compiler said is in"
    r" (?P<log>\S+)\n"
)
COMMANDS = {
    "run": ("run", "--device", "{device}", "{path}"),
    "cc": ("cc", "-fopenmp", "-fopenmp-targets={device}", "{path}", "-o", "{path}.out"),
    "resources": ("preview", "--device", "{device}", "--resources", "{path}"),
}


@pytest.fixture
def call(ompls, tmp_path: Path) -> Callable:
    def run(name: str, device: str, clause: str = ""):
        path = tmp_path / "prog.c"
        path.write_text(PROGRAM % clause)
        return ompls(*(word.format(device=device, path=path) for word in COMMANDS[name]))

    return run


def is_ours(said: str, who: str) -> bool:
    """Whether that is all that was said, and the compiler's own words are kept."""
    m = OURS.fullmatch(said)
    assert m is not None, said
    assert "wrong_on_purpose" in Path(m["log"]).read_text()
    return m["where"].endswith("prog.c:4") and m["who"] == who


@pytest.mark.parametrize(("name", "code"), [("run", 125), ("cc", 1)])
def test_what_gcc_refuses_of_the_host_half(name: str, code: int, call, monkeypatch: pytest.MonkeyPatch) -> None:
    put = HostText.put

    def spoilt(self, place, d, name, made, *pragma) -> None:
        put(self, place, d, name, f"wrong_on_purpose; {made}", *pragma)

    monkeypatch.setattr(HostText, "put", spoilt)
    done = call(name, "host")
    assert done.code == code
    assert is_ours(done.err, "gcc")


@pytest.mark.parametrize(("name", "code"), [("run", 125), ("resources", 2)])
def test_what_a_compiler_refuses_of_a_kernel(name: str, code: int, call, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = importlib.import_module("ompls.translate.transformations.gpu.kernel")
    tidied = kernel.tidied
    monkeypatch.setattr(kernel, "tidied", lambda lines: [OutLine("wrong_on_purpose;"), *tidied(lines)])
    if name == "resources" and nvrtc.available() is None:
        pytest.skip("nvrtc is not installed (extra cuda-preview)")
    done = call(name, "cudasim" if name == "run" else "cuda")
    assert done.code == code
    assert is_ours(done.err, "the compiler for 'cudasim'" if name == "run" else "the compiler for sm_53")


@pytest.mark.parametrize("name", ["run", "cc"])
def test_what_gcc_refuses_of_the_users_text(name: str, call) -> None:
    """In a clause that stays, whose text is generated, too: once, where the user wrote it."""
    done = call(name, "host", " firstprivate((x))")
    place = next(line for line in done.err.splitlines() if "error" in line)
    assert re.search(r"prog\.c:4:48: error: expected identifier before", place), done.err
    assert done.err.count("expected identifier") == 1
