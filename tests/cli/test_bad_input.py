"""What goes wrong outside of us: each has a clear message, nothing is overwritten, nothing stays behind."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests_cli_paths import EXAMPLES

SAXPY = (EXAMPLES / "saxpy.c").read_bytes()
ERROR = re.compile(r"ompls: error: [^\n]+: [^\n]+; [^\n]+\n")


def _write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


UNREADABLE = {
    "missing": (None, "cannot read"),
    "binary": (bytes(range(256)) * 20, "binary file"),
    "utf-16": (SAXPY.decode().encode("utf-16"), "iconv -f UTF-16 "),
    "utf-16 without a mark": (SAXPY.decode().encode("utf-16-le"), "iconv -f UTF-16LE "),
    "utf-16, big end first": (SAXPY.decode().encode("utf-16-be"), "iconv -f UTF-16BE "),
    "utf-32": (SAXPY.decode().encode("utf-32"), "iconv -f UTF-32 "),
    "50 MB": (b"int x;\n" * 7_500_000, "MB"),
    "prose": (b"Dear Sir,\n\nI hope this finds you well (and happy)!\nBest\n", "cannot be understood as C"),
    "a page": (b"<!DOCTYPE html>\n<html><body><p>It works!</p></body></html>\n", "understood as C"),
}


@pytest.mark.parametrize("command", ["check", "preview", "run"])
@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_read_is_named(ompls, tmp_path: Path, what: str, command: str) -> None:
    data, text = UNREADABLE[what]
    path = tmp_path / "input.c"
    if data is not None:
        path.write_bytes(data)
    done = ompls(command, path)
    assert done.code == (125 if command == "run" else 2)
    assert ERROR.fullmatch(done.err), done.err
    assert "input.c" in done.err
    assert text in done.err or what == "prose"


def test_standard_input_is_no_file(ompls) -> None:
    done = ompls("run", "-")
    assert (done.code, done.err.count("name a C source file")) == (125, 1)


def test_what_two_parts_refuse_is_told_once(ompls, tmp_path: Path) -> None:
    pragma = "#pragma omp target teams distribute parallel for map(tofrom: t[:1]) reduction(+: t[:1].e)"
    loop = "for (int i = 0; i < 9; i++) { t->e += i; t->m += i; }"
    kind = "typedef struct { double e, m; } __attribute__((aligned(16))) s;\ntypedef struct { s tot; } whole;"
    text = f"{kind}\nvoid f(whole *w)\n{{\ns *t = &w->tot;\n{pragma}\n{loop}\n}}\nint main(void) {{ }}\n"
    path = _write(tmp_path / "input.c", text.encode())
    done = ompls("run", "--device", "cudasim", path)
    assert (done.code, done.err.count("error:")) == (125, 1), done.err


def test_a_layout_is_refused_once(ompls, tmp_path: Path) -> None:
    """By the rule where it is used; the translator says it of the member."""
    kind = "struct s { char c; unsigned b : 3 __attribute__((aligned(2))); };"
    text = f"{kind}\nvoid f(struct s *p)\n{{\n#pragma omp target map(tofrom: p[0:1])\np->c = 1;\n}}\n"
    done = ompls("check", "--device", "cuda", _write(tmp_path / "input.c", text.encode()))
    assert (done.code, done.out.count("warning:")) == (1, 1), done.out
    assert ":5:1: warning:" in done.out


def test_a_directory_is_no_file(ompls, tmp_path: Path) -> None:
    done = ompls("preview", tmp_path)
    assert done.code == 2
    assert "is a directory" in done.err
    done = ompls("check", tmp_path)
    assert done.code == 2
    assert "no C files are in it" in done.err


@pytest.mark.parametrize("words", [["run", "--device", "host"], ["cc", "-fopenmp", "-fopenmp-targets=host"]])
def test_no_compiler_gets_what_has_no_end(ompls, tmp_path: Path, words: list[str]) -> None:
    os.mkfifo(tmp_path / "pipe.h")
    program = _write(tmp_path / "main.c", b'#include "pipe.h"\n' + SAXPY)
    done = ompls(*words, program)
    assert done.code == (125 if "run" in words else 1)
    assert ERROR.fullmatch(done.err), done.err
    assert '"pipe.h", which is not a regular file' in done.err
    program.write_bytes(b'#if 0\n#include "pipe.h"\n#endif\nint x;\n')
    assert ompls("translate", "-o", tmp_path / "bundle", program).code == 0


@pytest.mark.parametrize("named", ["", "closed"])
def test_a_directory_that_cannot_be_read_is_named(
    ompls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """As root everything can be read: what the system says of others is put in its place."""
    scandir, closed = os.scandir, tmp_path / "closed"
    closed.mkdir()
    _write(tmp_path / "x.c", SAXPY)

    def refuse(path: str) -> Any:
        if str(path) == str(closed):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    done = ompls("check", tmp_path / named)
    assert done.code == 2
    assert f"cannot read {closed}" in done.err


@pytest.mark.parametrize(
    ("name", "language"), [("x.cpp", "C++"), ("x.C", "C++"), ("x.f90", "Fortran"), ("x.cu", "CUDA C++")]
)
@pytest.mark.parametrize("command", ["check", "preview", "translate", "run"])
def test_other_languages_are_refused_by_name(ompls, tmp_path: Path, name: str, language: str, command: str) -> None:
    path = _write(tmp_path / name, SAXPY)
    output = ["-o", tmp_path / "out"] if command == "translate" else []
    done = ompls(command, path, *output)
    assert done.code == (125 if command == "run" else 2)
    assert done.out == ""
    assert f"{name}: it is {language}; ompls understands C" in done.err
    assert ("Nothing was checked" in done.err) == (command == "check")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["check", "preview", "translate", "run"])
@pytest.mark.parametrize(
    ("project", "entry"),
    [
        ("compile_commands.json", "g++ -c x.c"),
        ("compile_commands.json", "/usr/bin/clang++-19 -c x.c"),
        ("compile_commands.json", "gcc -x c++ -c x.c"),
        ("compile_flags.txt", "-xc++"),
        (".ompls.toml", 'flags = ["-x", "c++"]'),
    ],
)
def test_what_is_compiled_as_cpp_is_refused_as_cpp(
    ompls, tmp_path: Path, command: str, project: str, entry: str
) -> None:
    path = _write(tmp_path / "x.c", SAXPY)
    if entry.endswith(" x.c"):
        entry = json.dumps([{"directory": str(tmp_path), "file": "x.c", "command": entry}])
    (tmp_path / project).write_text(entry)
    output = ["-o", tmp_path / "out"] if command == "translate" else []
    done = ompls(command, path, *output)
    assert (done.code, done.out) == (125 if command == "run" else 2, ""), done.err
    assert "x.c: it is C++; ompls understands C" in done.err


def test_what_is_compiled_as_c_is_c(ompls, tmp_path: Path) -> None:
    for name, command in (("x.cpp", "g++ -x c -c"), ("x.c", "gcc -c"), ("x.h", "gcc -x c-header"), ("y.c", "g++ -xc")):
        path = _write(tmp_path / name, SAXPY)
        entry = {"directory": str(tmp_path), "file": name, "command": f"{command} {name}"}
        (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
        assert ompls("preview", path).code == 0


def test_regions_in_other_languages_of_a_directory_are_counted(
    ompls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _write(tmp_path / "x.c", SAXPY)
    _write(tmp_path / "plain.cpp", b"int x;\n")
    done = ompls("check", tmp_path)
    assert (done.code, done.err.count("\n")) == (0, 1)
    _write(tmp_path / "a.cpp", SAXPY)
    assert "a.cpp is C++; ompls understands C. Nothing was checked there" in ompls("check", tmp_path).err
    (tmp_path / "compile_flags.txt").write_text("-xc++")
    assert "no C files are in it" in ompls("check", tmp_path).err
    (tmp_path / "compile_flags.txt").unlink()
    _write(tmp_path / "b.f90", b"!$omp target\n!$omp end target\n")
    done = ompls("check", "--format", "json", tmp_path)
    assert done.code == 0
    assert "ompls: 2 files with target regions (" in done.err
    assert " are C++ and Fortran; ompls understands C. " in done.err
    for words in (["--quiet", tmp_path], ["--exclude", "a.cpp", "--exclude", "*.f90", tmp_path]):
        assert "Nothing was checked" not in ompls("check", *words).err


def test_a_small_text_with_a_mistake_is_c(ompls, tmp_path: Path) -> None:
    for number, text in enumerate(
        (b"int main(void)\n{\n return 0;\n", b"void f(void)\n{\n int x = 1\n x++;\n}\n", b"static int x[3\n")
    ):
        done = ompls("check", "--quiet", _write(tmp_path / f"{number}.c", text))
        assert (done.code, done.err) == (1, "")
        assert "[syntax-error]" in done.out


def test_an_unreadable_file_says_so(ompls, tmp_path: Path) -> None:
    path = _write(tmp_path / "x.c", SAXPY)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert "ermission" in ompls("check", path).err


def test_latin_1_in_a_comment_is_fine(ompls, tmp_path: Path) -> None:
    path = _write(tmp_path / "x.c", b"/* gr\xfc\xdfe */\n" + SAXPY)
    assert ompls("check", path).code == 0


# Of the mistakes' messages and fixes all quote bytes that are no UTF-8.
LATIN_1 = b"""#define C 512
int *c;
void *malloc(unsigned long);
void f(int n, double *x) {
#pragma omp target map(always tofrom: x['\xfc':n])
  x[0] = n;
  if (n > 3)
    #pragma omp target update to(x['\xe9':n])
  c = malloc(sizeof "\xfc");
#pragma omp target enter data map(to: c['\xfc':C]) device(0)
#pragma omp target device(0)
  c[0] = 1;
#pragma omp gr\xfcn
#pragma omp target
  *c = "\xe9\xfc"[0];
}
"""


def test_latin_1_is_quoted_in_utf_8(ompls, tmp_path: Path) -> None:
    path = _write(tmp_path / "x.c", LATIN_1)
    for form in ("json", "sarif"):
        said = ompls("check", "--format", form, path).out
        assert "gr\\ufffdn" in said
        assert "'\\ufffd'" in said
        assert "\\udc" not in said
    said = ompls("check", path).out
    assert "gr\ufffdn" in said


def test_fixes_leave_latin_1_as_it_is(ompls, tmp_path: Path) -> None:
    text = b"void f(int n, int *x) {\n  if (n)\n#pragma omp target update to(x['\xe9':n])\n  x[0] = 1; // \xfc\n}\n"
    path = _write(tmp_path / "x.c", text)
    ompls("check", "--fix", path)
    assert path.read_bytes() == text.replace(b"#pragma", b"{\n#pragma").replace(b"'\xe9':n])", b"'\xe9':n])\n}")


@pytest.mark.parametrize("share", [0.3, 0.45, 0.6, 0.8, 0.95])
def test_a_truncated_file_is_reported(ompls, tmp_path: Path, share: float) -> None:
    path = _write(tmp_path / "x.c", SAXPY[: int(len(SAXPY) * share)])
    done = ompls("check", path)
    assert done.code == 1
    assert "x.c:" in done.out


def test_an_unclosed_pragma_is_reported(ompls, tmp_path: Path) -> None:
    path = _write(tmp_path / "x.c", SAXPY.replace(b"map(tofrom: y[0:n])", b"map(tofrom: y[0:n]"))
    done = ompls("check", path)
    assert done.code == 1
    assert "not closed" in done.out


@pytest.mark.parametrize("command", ["run", "preview", "translate -o {out}", "cc -fopenmp -c -o {out}"])
def test_what_is_no_c_is_told_by_the_compiler(process, tmp_path: Path, command: str) -> None:
    """Not what the translator makes of a loop whose bound it cannot know."""
    text = b"void f(int *a) {\n int n = 10\n#pragma omp target parallel for\n  for (int i = 0; i < n; i++) a[i]++;\n}\n"
    path = _write(tmp_path / "input.c", text)
    result = process(*command.format(out=tmp_path / "out").split(), str(path))
    assert result.code != 0
    assert re.search(r"input.c:\d+:\d+: error: expected", result.err)
    assert "cannot be translated" not in result.err


def test_without_gcc_the_check_works_and_says_what_is_missing(process, tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "OMPLS_CACHE_DIR": str(tmp_path / "cache")}
    done = process("check", EXAMPLES / "saxpy.c", env=env)
    assert done.code == 0
    assert re.search(r"ompls: warning: .*gcc.*; .*install", done.err), done.err


def test_without_gcc_a_run_says_what_is_missing(process, tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "OMPLS_CACHE_DIR": str(tmp_path / "cache")}
    done = process("run", "--device", "host", EXAMPLES / "saxpy.c", env=env)
    assert done.code == 125
    assert re.search(r"ompls: error: .*gcc.*; .*", done.err), done.err


def test_an_unwritable_cache_costs_a_warning_only(process, tmp_path: Path) -> None:
    blocker = _write(tmp_path / "file", b"")
    done = process("check", EXAMPLES / "saxpy.c", env={"OMPLS_CACHE_DIR": str(blocker / "cache")})
    assert done.code == 0
    assert "ompls: warning:" in done.err
    assert blocker.read_bytes() == b""


@pytest.mark.parametrize("command", [["run", "--device", "host"], ["translate", "--device", "host", "-o", "made"],
                                     ["cc", "-fopenmp", "-fopenmp-targets=host", "-c"]])  # fmt: skip
def test_a_syntax_error_is_told_of_the_users_text(process, tmp_path: Path, monkeypatch, command: list[str]) -> None:
    """Not of what we have made of it, where lines are right and columns are not."""
    monkeypatch.chdir(tmp_path)
    text = "int main(void) {\n  int b = 1;\n#pragma omp target map(tofrom: c[0:4])\n  b = 2;\n  return b}\n"
    (tmp_path / "bad.c").write_text(text)
    done = process(*command, "bad.c")
    assert done.code in (1, 125)
    assert "bad.c:5:11: error: expected" in done.err
    assert done.err.count("error:") == 1


_VARIANTS = """static int f(void) { return 1; }
#pragma omp begin declare variant match(device = {kind(fpga)})
static int f(void) { no such function; }
#pragma omp end declare variant
int main(void) {
  int b = 0;
#pragma omp target map(tofrom: b)
  b = f();
  return b != 1;
%s
"""


def test_what_gcc_does_not_know_is_no_syntax_error_of_the_user(process, tmp_path: Path) -> None:
    """It sees two functions of one name where a variant begins."""
    path = _write(tmp_path / "right.c", (_VARIANTS % "}").encode())
    assert process("run", "--device", "host", path).code == 0
    assert "warning" not in process("check", path).out
    path = _write(tmp_path / "wrong.c", (_VARIANTS % "int x = ; }").encode())
    done = process("run", "--device", "host", path)
    assert (done.code, done.err.count("error:")) == (125, 1)
    assert "wrong.c:10:9: error: expected expression" in done.err
    assert "int x = ; }" in done.err
    checked = process("check", path).out
    assert "wrong.c:10:8: error: expected expression" in checked
    assert "wrong.c:3:25: hint: syntax error" in checked


@pytest.mark.parametrize(
    "command",
    [
        "check --write-baseline {c} {c}", "check --output-file {c} {c}", "run --device host --trace {c} {c}",
        "report {trace} --html {c}", "report {trace} --html {trace}", "cc -fopenmp {c} -o {c}",
        "cc -fopenmp -fopenmp-targets=host -c {c} -o {c}", "cc {c} -o {c}",
    ],
)  # fmt: skip
def test_no_output_goes_over_what_is_read(process, tmp_path: Path, command: str) -> None:
    path, trace = tmp_path / "a.c", tmp_path / "trace.jsonl"
    path.write_text(text := "int main(void) { return 0; }\n")
    trace.write_text("{}\n")
    done = process(*command.format(c=path, trace=trace).split())
    assert done.code in (1, 2, 125)
    assert re.search(r"ompls: error: cannot write .*; name another one", done.err)
    assert (path.read_text(), trace.read_text()) == (text, "{}\n")
