"""The command line itself: which words are the compiler's, which are ours, and what is said about bad ones."""

from __future__ import annotations

import re

import pytest

from ompls.cli.options import split_flags
from ompls.cli.problem import Problem


@pytest.mark.parametrize(
    ("words", "ours", "flags"),
    [
        (["x.c"], ["x.c"], []),
        (["-Iinc", "x.c", "-I", "other"], ["x.c"], ["-Iinc", "-I", "other"]),
        (["-DN=4", "-UX", "-std=c99", "-O2", "-g", "x.c"], ["x.c"], ["-DN=4", "-UX", "-std=c99", "-O2", "-g"]),
        (["-include", "pre.h", "x.c"], ["x.c"], ["-include", "pre.h"]),
        (["--device", "cuda", "x.c", "-lm"], ["--device", "cuda", "x.c"], ["-lm"]),
        (["-o", "out", "x.c"], ["-o", "out", "x.c"], []),
        (["--sysroot=/r", "--sysroot", "s", "--quiet", "x.c"], ["--quiet", "x.c"], ["--sysroot=/r", "--sysroot", "s"]),
        (["-h"], ["-h"], []),
        (["--", "-x.c", "y.c"], ["--", "./-x.c", "y.c"], []),
    ],
)
def test_separates_the_compilers_options(words: list[str], ours: list[str], flags: list[str]) -> None:
    assert split_flags(words) == (ours, flags)


def test_an_option_without_its_value_is_named() -> None:
    with pytest.raises(Problem, match="-I needs a value"):
        split_flags(["x.c", "-I"])


ERROR = re.compile(r"ompls: error: [^:]+: .+; .+\n")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["frobnicate"], 2, "frobnicate"),
        (["chek", "x.c"], 2, "there is no command 'chek'; did you mean 'check'?"),
        (["rnu", "--device", "host", "run", "x.c"], 125, "there is no command 'rnu'; did you mean 'run'?"),
        (["check"], 2, "FILE"),
        (["check", "--format", "xml", "x.c"], 2, "xml"),
        (["check", "-x.c"], 2, "write ./-x.c"),
        (["check", ""], 2, "file name is empty"),
        (["check", "--frobnicate", "x.c"], 2, "see 'ompls check --help'"),
        (["check", "--form", "json", "x.c"], 2, "unrecognized arguments: --form; did you mean '--format'?"),
        (["check", "--selct=structure", "x.c"], 2, "--selct=structure; did you mean '--select'?"),
        (["check", "--device", "abacus", "x.c"], 2, "unknown device 'abacus'"),
        (["check", "--device", "cuda:many", "x.c"], 2, "'many' is not a number of devices"),
        (["run", "--timeout", "soon", "x.c"], 125, "'soon' is not a number of seconds"),
        (["serve", "--tcp", "99999"], 2, "'99999' is not a port"),
        (["report", "no-such-trace"], 2, "no-such-trace"),
    ],
)
def test_a_bad_command_line_is_one_line_of_error(ompls, words: list[str], code: int, text: str) -> None:
    done = ompls(*words)
    assert done.code == code
    assert ERROR.fullmatch(done.err), done.err
    assert text in done.err
    assert done.out == ""


@pytest.mark.parametrize("command", ["check", "preview", "translate", "run", "devices", "explain", "report", "serve"])
def test_every_command_has_help(ompls, command: str) -> None:
    done = ompls(command, "--help")
    assert done.code == 0
    assert done.out.startswith(f"usage: ompls {command}")


def test_help_lists_the_commands(ompls) -> None:
    done = ompls("--help")
    assert done.code == 0
    assert "language server" in done.out


def test_without_arguments_the_help_is_named(ompls) -> None:
    done = ompls()
    assert done.code == 2
    assert "see 'ompls --help'" in done.err


def test_a_name_after_two_dashes_is_a_file(ompls, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-x.c").write_text("int x;\n")
    done = ompls("check", "--quiet", "--", "-x.c")
    assert (done.code, done.out, done.err) == (0, "", "")
