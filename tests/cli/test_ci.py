"""`ompls check` in a project's continuous integration: many files, settings, fixes, baselines, statistics."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from tests_cli_paths import ROOT
from waiting import LIMIT, children, until

from ompls.cli.terminal import Progress
from ompls.project import toml

BAD = "void {name}(void)\n{{\n    #pragma omp target nowiat\n    {{ }}\n}}\n"
GOOD = "void {name}(void)\n{{\n    #pragma omp target nowait\n    {{ }}\n}}\n"
UNSAFE = """\
int {name}(void)
{{
    int total = 0;
    #pragma omp target
    {{ total = 1; }}
    return total;
}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(directory: Path, name: str, text: str) -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(name=path.stem.replace("-", "_")))
    return path


# --- which files ---------------------------------------------------------------------------------------------------


def test_a_directory_is_its_c_files(ompls, project: Path) -> None:
    for name in ("src/b.c", "src/a.c", "src/deep/c.c", "src/.hidden/d.c", "src/.e.c", "src/f.h", "src/lib/g.c"):
        write(project, name, BAD)
    (project / ".ompls.toml").write_text('exclude = ["lib"]\n')
    found = json.loads(ompls("check", "--format", "json", "src").out)["diagnostics"]
    assert [d["file"] for d in found] == ["src/a.c", "src/b.c", "src/deep/c.c"]
    assert "src/lib/g.c" in ompls("check", "src/lib/g.c").out  # named, so checked


def test_one_that_cannot_be_read_does_not_hide_the_others(ompls, project: Path) -> None:
    write(project, "a.c", BAD)
    done = ompls("check", "a.c", "not-there.c")
    assert done.code == 2
    assert "a.c:3:" in done.out
    assert "cannot read not-there.c: no such file" in done.err


def test_many_files_on_several_cores_say_the_same_in_the_same_order(process, project: Path) -> None:
    for number in range(24):
        write(project, f"src/f{number:02}.c", (BAD, GOOD, UNSAFE)[number % 3])
    one, two = (process("check", "--jobs", jobs, "--format", "json", "src") for jobs in (1, 2))
    assert (two.code, two.out, two.err) == (one.code, one.out, one.err)
    files = [d["file"] for d in json.loads(one.out)["diagnostics"]]
    assert files == sorted(files)
    assert len(set(files)) == 16


def test_ctrl_c_ends_a_long_run_without_noise(project: Path) -> None:
    for number in range(200):
        write(project, f"src/f{number:03}.c", "".join(UNSAFE.replace("{name}", f"f{n}") for n in range(20)))
    command = [sys.executable, "-m", "ompls", "check", "--jobs", "2", "src"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert until(lambda: len(children(child.pid)) > 1)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does: to the whole group
    out, err = child.communicate(timeout=LIMIT)
    assert child.returncode == 130
    assert (out, err) == (b"", b"")


def test_a_terminal_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with Progress(2, delay=0.0) as progress:
            progress.step()
        shown = "\rompls: 1 of 2 files checked…\r\x1b[K".encode()
        seen = b""
        while len(seen) < len(shown):
            seen += os.read(ours, 100)  # in as many pieces as the terminal likes
        assert seen == shown
        with Progress(2, delay=1000.0) as progress:
            progress.step()  # before that time: nothing
        print("end", file=terminal, flush=True)
        assert os.read(ours, 100) == b"end\r\n"
    os.close(ours)


# --- settings ------------------------------------------------------------------------------------------------------


def test_the_project_file_decides_and_the_command_line_decides_more(ompls, project: Path) -> None:
    write(project, "a.c", BAD)
    (project / ".ompls.toml").write_text('[severity]\nstructure = "hint"\n')
    assert ompls("check", "a.c").code == 0
    assert ": hint: " in ompls("check", "a.c").out
    (project / ".ompls.toml").write_text('ignore = ["unknown-clause"]\n')
    assert ompls("check", "a.c").out == ""
    assert "unknown-clause" in ompls("check", "--select", "unknown-clause", "a.c").out
    assert "unknown-clause" in ompls("check", "--ignore", "mapping", "a.c").out


def test_rules_are_ignored_by_path(ompls, project: Path) -> None:
    write(project, "tests/a.c", BAD)
    write(project, "src/a.c", BAD)
    (project / ".ompls.toml").write_text('[per-path-ignores]\n"tests/**" = ["structure"]\n')
    done = ompls("check", "tests", "src")
    assert "src/a.c" in done.out
    assert "tests/a.c" not in done.out


def test_flags_of_the_project_file(ompls, project: Path) -> None:
    write(project, "a.c", GOOD.replace("nowait", "SOME_CLAUSE"))
    write(project, "include/x.h", "#define SOME_CLAUSE nowait\n")
    write(project, "b.c", '#include "x.h"\n' + GOOD.replace("nowait", "SOME_CLAUSE"))
    (project / ".ompls.toml").write_text('flags = ["-DSOME_CLAUSE=nowait", "-I", "include"]\n')
    assert ompls("check", "--fail-on", "hint", "a.c").code == 0
    assert ompls("check", "--fail-on", "hint", "-USOME_CLAUSE", "b.c").code == 0


def test_all_mistakes_in_project_files_are_told(ompls, project: Path) -> None:
    write(project, "a.c", BAD)
    (project / ".ompls.toml").write_text('opnmpVersion = "5.1"\n\nselect = ["mappin"]\n')
    done = ompls("check", "a.c")
    assert (done.code, done.out) == (2, "")
    first, second = done.err.splitlines()
    assert first.startswith(f"ompls: error: cannot use {project}/.ompls.toml:1: unknown setting 'opnmpVersion'; did")
    assert "/.ompls.toml:3: select: unknown rule 'mappin'" in second
    assert "did you mean mapping" in second
    assert "opnmpVersion" in ompls("preview", "a.c").err


def test_settings_can_be_shown_and_read_again(ompls, project: Path) -> None:
    write(project, "a.c", GOOD)
    (project / ".ompls.toml").write_text('openmpVersion = "4.5"\n[severity]\nmapping = "off"\n')
    shown = ompls("check", "--show-settings", "--ignore", "style", "a.c").out
    values = toml.loads(shown)
    assert (values["openmpVersion"], values["ignore"], values["severity"]) == ("4.5", ["style"], {"mapping": "off"})
    lines = {line.partition(" = ")[0]: line for line in shown.splitlines()}
    assert lines["openmpVersion"].endswith("# .ompls.toml:1")
    assert lines["severity"].endswith("# .ompls.toml:2")
    assert lines["ignore"].endswith("# command line")
    assert lines["device"].endswith("# default")
    (project / ".ompls.toml").write_text(shown)
    again = toml.loads(ompls("check", "--show-settings", "a.c").out)
    assert again == values


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--openmp", "7", "a.c"], "--openmp: expected one of '4.0'"),
        (["--unsafe-fixes", "a.c"], "add --fix or --diff"),
        (["--jobs", "0", "a.c"], "'0' is not a number of files"),
        (["--baseline", "none.json", "a.c"], "make it with --write-baseline"),
        (["--baseline", "a.c", "a.c"], "it is no baseline"),
        (["--write-baseline", "no/where.json", "a.c"], "cannot write no/where.json"),
        (["empty"], "no C files are in it"),
    ],
)
def test_what_cannot_be_done_is_one_line_of_error(ompls, project: Path, words: list[str], text: str) -> None:
    write(project, "a.c", GOOD)
    (project / "empty").mkdir()
    done = ompls("check", *words)
    assert (done.code, done.out) == (2, "")
    assert text in done.err
    assert done.err.count("\n") == 1


# --- stdin, fixes --------------------------------------------------------------------------------------------------


def test_a_text_on_stdin_has_a_name(process, project: Path) -> None:
    write(project, "src/limits.h", "#define CLAUSE nowait\n")
    text = '#include "limits.h"\nvoid f(void)\n{\n    #pragma omp target CLAUSE nowiat\n    { }\n}\n'
    done = process("check", "--stdin-filename", "src/a.c", "-", stdin=text)
    assert done.code == 1
    assert done.out.startswith("src/a.c:4:")
    assert "missing-include" not in done.out
    fixed = process("check", "--fix", "--stdin-filename", "src/a.c", stdin=text)
    assert fixed.out == text.replace(" nowiat", "")
    assert not (project / "src/a.c").exists()


def test_a_diff_changes_nothing(ompls, project: Path) -> None:
    path = write(project, "a.c", BAD)
    before = path.read_text()
    done = ompls("check", "--diff", "a.c")
    assert done.code == 1
    assert path.read_text() == before
    patched = subprocess.run(["patch", "-p1", "--quiet"], input=done.out.encode(), check=True)
    assert patched.returncode == 0
    by_patch = path.read_text()
    path.write_text(before)
    ompls("check", "--fix", "a.c")
    assert path.read_text() == by_patch != before
    assert ompls("check", "--diff", "a.c").out == ""


def test_unsafe_fixes_are_made_only_when_asked_for(ompls, project: Path) -> None:
    path = write(project, "a.c", UNSAFE)
    chosen = ("check", "--select", "firstprivate-result-lost", "--fix")
    assert ompls(*chosen, "a.c").code == 1
    assert path.read_text() == UNSAFE.format(name="a")
    assert ompls(*chosen, "--unsafe-fixes", "a.c").code == 0
    assert "map(from: total)" in path.read_text()


# --- baselines, statistics, suppressions ---------------------------------------------------------------------------


def test_a_baseline_leaves_new_findings(ompls, project: Path) -> None:
    path = write(project, "src/a.c", BAD + BAD.replace("{name}", "second"))
    assert ompls("check", "--write-baseline", "known.json", "src").code == 0
    assert ompls("check", "--baseline", "known.json", "src").code == 0
    path.write_text("// moved\n\n" + path.read_text())
    assert ompls("check", "--baseline", "known.json", "src").out == ""
    path.write_text(path.read_text() + BAD.format(name="third"))  # a third one that reads like the others
    done = ompls("check", "--baseline", "known.json", "src")
    assert done.code == 1
    assert done.out.count("[unknown-clause]") == 1
    results = json.loads(ompls("check", "--baseline", "known.json", "--format", "sarif", "src").out)["runs"][0][
        "results"
    ]
    assert [result["baselineState"] for result in results] == ["unchanged", "unchanged", "new"]
    os.chdir(project / "src")
    assert ompls("check", "--baseline", "../known.json", "a.c").out.count("[unknown-clause]") == 1


def test_a_baseline_knows_a_file_by_its_new_name(ompls, project: Path) -> None:
    path = write(project, "src/a.c", BAD)
    write(project, "src/b.c", BAD.replace("{name}", "other"))
    assert ompls("check", "--write-baseline", "known.json", "src").code == 0
    path.rename(project / "src/renamed.c")
    assert ompls("check", "--baseline", "known.json", "src").code == 0
    write(project, "src/second.c", BAD)  # one was moved; this is another one
    done = ompls("check", "--baseline", "known.json", "src")
    assert done.code == 1
    assert done.out.count("[unknown-clause]") == 1


def test_statistics(ompls, project: Path) -> None:
    write(project, "a.c", BAD + BAD.replace("{name}", "second"))
    write(project, "b.c", UNSAFE)
    chosen = ("check", "--select", "unknown-clause,firstprivate-result-lost", "--statistics")
    done = ompls(*chosen, "a.c", "b.c")
    first, second, last = done.out.splitlines()
    assert first.split() == ["2", "error", "*", "unknown-clause"]
    assert second.split()[:2] == ["1", "warning"]
    assert last.startswith("3 findings in 2 files; * ")
    data = json.loads(ompls(*chosen, "--format", "json", "a.c", "b.c").out)["statistics"]
    assert data[0] == {"rule": "unknown-clause", "severity": "error", "count": 2, "fixable": 2}


def test_sarif_has_what_comments_silence(ompls, project: Path) -> None:
    write(project, "a.c", "// ompls: ignore-file[unknown-clause]\n" + BAD)
    log = json.loads(ompls("check", "--format", "sarif", "a.c", "gone.c").out)
    schema = json.loads((ROOT / "tests/cli/sarif.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(log)
    (run,) = log["runs"]
    (result,) = run["results"]
    assert result["suppressions"] == [{"kind": "inSource"}]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert "gone.c" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


@pytest.mark.parametrize("form", ["sarif", "github"])
def test_statistics_have_no_form_for_findings(ompls, project: Path, form: str) -> None:
    done = ompls("check", "--statistics", "--format", form, "a.c")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"no form for --format {form}" in done.err


def test_explain_lists_a_group(ompls) -> None:
    done = ompls("explain", "mapping")
    assert done.code == 0
    assert "section-bounds" in done.out
    assert "unknown-clause" not in done.out
    assert "did you mean mapping" in ompls("explain", "maping").err


def test_a_device_that_is_named_makes_what_it_cannot_run_a_warning(ompls, project: Path) -> None:
    wide = "void f(long double *x) {\n    #pragma omp target map(tofrom: x[0:1])\n    *x *= 2;\n}\n"
    (project / "a.c").write_text(wide)
    assert ": hint: the type `long double`" in ompls("check", "a.c").out
    assert ": warning: the type `long double`" in ompls("check", "--device", "cuda", "a.c").out
    (project / ".ompls.toml").write_text('device = "cuda"\n')
    assert ": warning: the type `long double`" in ompls("check", "a.c").out
