"""Files with odd names: whatever a name holds, generated text is C, and says the name to whom it is asked."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from named import preview, translate

from ompls.analysis.model import literals
from ompls.analysis.model.tu import TU
from ompls.analysis.syntax.preprocess import Preprocessor
from ompls.analysis.syntax.quoted import c_string, in_comment
from ompls.devices.cuda.module import nvrtc
from ompls.project.workspace import Workspace

NAMES = {
    "quotes": "q\"u'o$te",
    "a backslash": "back\\slash",
    "a line end": "new\nline",
    "control characters": "tab\t\x7f\x01" + "7",
    "no UTF-8": "n\udcff7",
    "UTF-8": "\u00e9",
    "comments": "*:/ x :/*",
    "trigraphs": "???:/tri",
    "formats": "%s {0} {{",
    "a backslash at the end": "end\\",
    "a digit after an escape": "\x0112",
}
SOURCE = """\
#include <stdio.h>
#include "h.h"
#define TWICE(a) ((a) + (a))
int main(void) {
  int x = 40;
#pragma omp target map(tofrom : x)
  x += H(2);
#pragma omp target teams distribute parallel for map(tofrom : x)
  for (int i = 0; i < 1; i++)
    x = TWICE(
      i) + x;
  puts(__FILE__);
  return x != 42;
}
"""
HEADER = "static int f(int a) { return a; }\n#pragma omp declare target to(f)\n#define H(a) f(a)\n"


def lay(directory: Path, name: str) -> Path:
    name = name.replace(":/", "_")
    (directory / name).mkdir()
    (directory / name / "h.h").write_text(HEADER)
    path = directory / name / f"{name}.c"
    path.write_text(SOURCE)
    return path


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_string_has_the_bytes_of_the_name(name: str) -> None:
    literal = c_string(name)
    assert literals.text(literal) == name
    assert "\n" not in literal
    text = f"const char *s = {literal}; /* {in_comment(name)} */ // {in_comment(name)}\nint last;\n"
    flags = ["-std=c11", "-Wall", "-Werror", "-S", "-o", "-", "-x", "c", "-"]
    made = subprocess.run(["gcc", *flags], input=os.fsencode(text), capture_output=True, check=True).stdout.decode()
    written = re.search(r'\.string\t("(?:[^"\\]|\\.)*")', made)
    assert written is not None
    assert literals.text(written[1]) == name
    assert "last" in made


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_every_generated_line_leads_to_its_file(name: str, tmp_path: Path, load: Callable[[Path], TU]) -> None:
    path = lay(tmp_path, name)
    tu = load(path)
    own = {str(path), str(path.parent / "h.h"), "<ompls>"}
    bundle = translate([tu], ["cuda", "host"])
    assert not bundle.diagnostics
    for file, data in bundle.files.items():
        text = os.fsdecode(data)
        if file.endswith((".c", ".cu", ".h")):
            assert re.fullmatch(r"[\w./+-]+", file), "a name of ours"
            directives = re.findall(r"^#line \d+ (.*)$", text, re.M)
            assert directives, file
            assert {_whole(literals.text(d)) for d in directives} <= own
    for device in ("cuda", "host"):
        shown = preview(tu, device)
        lines = shown.text.splitlines()
        assert all(n <= len(lines) for n, _ in shown.line_map)
        assert not shown.diagnostics


def _whole(name: str) -> str:
    """The path of a file that is named from the current directory."""
    return os.path.abspath(name) if os.path.exists(name) else name


@pytest.mark.skipif(nvrtc.available() is None, reason="nvrtc is not installed (the extra cuda-preview)")
@pytest.mark.parametrize("name", ["q\"u'o$te\\", "tab\t\x7f\x017", "n\udcff7", "\u00e9"])
def test_nvrtc_names_the_file(name: str) -> None:
    text = f'#line 7 {c_string(name)}\nextern "C" __global__ void k(const char **p) {{ *p = __FILE__; }}\n'
    compiled = nvrtc.compile(text, "sm_53", kind="ptx")
    assert compiled.ok, compiled.log
    numbers = ", ".join(str(b) for b in os.fsencode(name))
    assert f"{{{numbers}}}" in compiled.code.decode()


def test_what_a_line_directive_of_the_user_says(tmp_path: Path, load: Callable[[Path], TU]) -> None:
    path = tmp_path / "a.c"
    path.write_text('#line 100 "my \\"own\\"\\\\.y"\n' + SOURCE.replace('#include "h.h"', HEADER))
    files = translate([load(path)], ["host"]).files
    host = b"".join(data for f, data in files.items() if f.startswith("host/")).decode()
    named = {_whole(literals.text(d)) for d in re.findall(r"^#line \d+ (.*)$", host, re.M)}
    assert named == {str(path), 'my "own"\\.y', "<ompls>"}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_file_macro(name: str, tmp_path: Path) -> None:
    path = str(lay(tmp_path, name))
    source = b"char *s = __FILE__;\n"
    snapshot = Workspace([str(tmp_path)]).snapshot(path, source)
    literal = Preprocessor().run(path, source, snapshot).text.decode("utf-8", "surrogateescape")
    assert literals.text(literal) == path


def test_headers_with_odd_names_are_watched(tmp_path: Path) -> None:
    """A header that only the compiler sees counts as changed when its file does, also by what gcc has to escape."""
    directory = tmp_path / 'q"\\'
    directory.mkdir()
    (directory / "only_gcc.h").write_text("#define SEEN 1\n")
    workspace, main, flags = Workspace([str(tmp_path)]), str(tmp_path / "a.c"), ("-isystem", str(directory))
    for value in ("1", "changed"):
        (directory / "only_gcc.h").write_text(f"#define SEEN {value}\n")
        snapshot = workspace.snapshot(main, b"#include <only_gcc.h>\n", flags)
        (macro,) = snapshot.system["<only_gcc.h>"].ops
        assert getattr(macro, "body", "") == value


def test_a_backslash_that_does_no_harm_in_a_comment_stays() -> None:
    assert in_comment(r'printf("hi %d\n")') == r'printf("hi %d\n")'
    assert in_comment("a\\\\ ") == r"a\134\134 "
