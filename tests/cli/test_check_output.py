"""Where the findings of `ompls check` go, and what is said beside them; what completes the command line in shells."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ompls.analysis.diagnostic import Diagnostic, Related
from ompls.analysis.source import Location
from ompls.cli import COMMANDS, parsers
from ompls.cli.github import commands
from ompls.cli.places import Places

WRONG = """void f(int n, int *x)
{
    #pragma omp target map(to: x[0:n])
    for (int i = 0; i < n; i++) x[i] = i;
    #pragma omp paralel for
    for (int i = 0; i < n; i++) x[i] = i;
}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a.c", "old/b.c", "deep/old/c.c", "generated.c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(WRONG)
    return tmp_path


def test_a_summary_counts_what_was_found_and_can_be_fixed(ompls, project: Path) -> None:
    chosen = ("check", "--select", "unknown-directive,unused-map,serial-kernel")
    assert ompls(*chosen, "a.c", "generated.c").err == (
        "ompls: 2 files checked: 2 errors, 2 hints; 2 can be fixed with --fix\n"
    )
    assert ompls(*chosen, "--quiet", "a.c").err == ""
    assert ompls(*chosen, "--format", "json", "a.c").err == ""
    (project / "a.c").write_text(WRONG.replace("*x", "*x, int *y").replace("map(", "map(to: y[0:n]) map("))
    assert ompls(*chosen, "--fix", "a.c").err == (
        "ompls: 1 edit made; 1 more can be fixed with --unsafe-fixes\nompls: 1 file checked: 2 hints\n"
    )


def test_no_text_of_others_commands_a_terminal(ompls, project: Path) -> None:
    """Neither a line that is quoted, nor a message, nor the name of a file, nor what a project file says."""
    (project / "a\x1b[2J.c").write_text('#include "b\x1b]0;t\x07.h"\nint f(void) { return 0;\x9b2J\t}\n')
    said = ompls("check", "a\x1b[2J.c")
    assert "b\ufffd]0;t\ufffd.h" in said.out + said.err
    (project / ".ompls.toml").write_text('"k\\u001b[2J" = 1\n')
    wrong = ompls("check", "a.c")
    assert "unknown setting 'k\ufffd[2J'" in wrong.err
    assert not any(set(text) & {"\x1b", "\x07", "\x9b"} for text in (said.out, said.err, wrong.err))


def test_directories_without_what_is_excluded(ompls, project: Path) -> None:
    def checked(*words: str) -> str:
        return ompls("check", *words).err.split(" checked")[0]

    assert checked(".") == "ompls: 4 files"
    assert checked("--exclude", "old", ".") == "ompls: 2 files"
    assert checked("--exclude", "/old", "--exclude", "gen*.c", ".") == "ompls: 2 files"
    (project / ".ompls.toml").write_text('exclude = ["deep"]\n')
    assert checked("--exclude", "gen*.c", ".") == "ompls: 2 files"
    assert checked("--exclude", "a.c", "a.c") == "ompls: 1 file"  # it is named


def test_the_output_goes_to_a_file_whole_or_not_at_all(ompls, project: Path) -> None:
    to_stdout = ompls("check", "--format", "sarif", "a.c").out
    (project / "report.sarif").write_text("old")
    done = ompls("check", "--format", "sarif", "--output-file", "report.sarif", "a.c")
    assert (done.code, done.out) == (1, "")
    assert (project / "report.sarif").read_text() == to_stdout
    (project / "link.txt").symlink_to("a.c")
    (project / "known.json").write_text("{}")
    for name in ("a.c", "link.txt", "new.h", "none/x.txt", "deep", "known.json"):
        done = ompls("check", "--baseline", "known.json", "--output-file", name, "a.c")
        assert (done.code, done.out) == (2, "")
        assert "ompls: error: cannot " in done.err
    assert (project / "a.c").read_text() == WRONG
    assert not [name for name in os.listdir(project) if name.startswith(".ompls-")]


def test_what_github_reads_is_escaped_as_it_wants(ompls, project: Path) -> None:
    done = ompls("check", "--format", "github", "--select", "unknown-directive", "a.c")
    (line,) = done.out.splitlines()
    assert line.startswith("::error file=a.c,line=5,endLine=5,col=17,endColumn=28,title=ompls (unknown-directive)::")
    places = Places()
    places.add("50%,a:b.c", b"one\ntwo\n")
    place = Location("50%,a:b.c", 0, 6)
    odd = Diagnostic("some-rule", "hint", "100%: a,b\r\nnext", place, (Related(place, "seen here"),))
    assert list(commands([odd], places)) == [
        "::notice file=50%25%2Ca%3Ab.c,line=1,endLine=2,title=ompls (some-rule)"
        "::100%25: a,b%0D%0Anext%0A50%25,a:b.c:1: seen here"
    ]


def test_completions_have_every_option_of_every_command(ompls) -> None:
    scripts = {shell: ompls("completions", shell).out for shell in ("bash", "zsh", "fish")}
    for name, parser in parsers([name for name in COMMANDS if name != "cc"])[1].items():
        for option in parser._option_string_actions:
            if option.startswith("--"):
                assert option in scripts["bash"]
                assert option in scripts["zsh"]
                assert f"seen_subcommand_from {name}' -l {option[2:]} " in scripts["fish"] or name == "cc"
    for shell, script in scripts.items():
        if shutil.which(shell):
            assert subprocess.run([shell, "-n"], input=script, text=True, capture_output=True, check=True).stderr == ""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("che", ["check"]),
        ("check --form", ["--format"]),
        ("check --format g", ["github"]),
        ("explain unused-m", ["unused-map"]),
        ("run --device cudas", ["cudasim"]),
        ("devices --", ["--help", "--json", "--prepare"]),
    ],
)
def test_bash_completes(ompls, words: str, expected: list[str]) -> None:
    script = ompls("completions", "bash").out
    typed = ["ompls", *words.split()]
    script += (
        f'\nCOMP_WORDS=({" ".join(typed)}); COMP_CWORD={len(typed) - 1}; _ompls; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(["bash"], input=script, text=True, capture_output=True, check=True)
    assert done.stdout.split() == expected
