"""`ompls check` from files to output and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from tests_cli_paths import EXAMPLES, ROOT

from ompls.analysis.rules import RULES, manual
from ompls.cli.engine import Engine, Options, report

MISTAKES = """\
#include <stdio.h>
void scale(int n, float *x)
{
    #pragma omp target teams distribute paralel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++)
        x[i] *= 2.0f;
    printf("%f\\n", x[0]);
}
"""


@pytest.fixture
def mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "scale.c"
    path.write_text(MISTAKES)
    return path


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.c")), ids=lambda path: path.stem)
def test_the_examples_are_clean(ompls, path: Path) -> None:
    done = ompls("check", path)
    assert (done.code, done.out, done.err) == (0, "", "ompls: 1 file checked: no findings\n")


def test_finds_names_and_marks_a_mistake(ompls, mistakes: Path) -> None:
    done = ompls("check", "scale.c")
    assert done.code == 1
    first, line, mark, *_ = done.out.splitlines()
    assert first.startswith("scale.c:4:")
    assert first.endswith("]")
    assert "paralel" in line
    assert "^" in mark


def test_json_and_sarif_say_the_same(ompls, mistakes: Path) -> None:
    found = json.loads(ompls("check", "--format", "json", mistakes).out)["diagnostics"]
    log = json.loads(ompls("check", "--format=sarif", mistakes).out)
    schema = json.loads((ROOT / "tests/cli/sarif.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(log)
    results = log["runs"][0]["results"]
    assert [entry["rule"] for entry in found] == [result["ruleId"] for result in results]
    assert [entry["range"]["start"]["line"] for entry in found] == [
        result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in results
    ]
    assert {rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]} >= set(RULES)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--fail-on", "never"], 0),
        (["--fail-on", "hint"], 1),
        (["--select", "unknown-directive"], 1),
        (["--ignore", ",".join(sorted(RULES))], 0),
        (["--select", "undeclared-device-function"], 0),
    ],
)
def test_options_choose_what_counts(ompls, mistakes: Path, options: list[str], code: int) -> None:
    assert ompls("check", *options, mistakes).code == code


def test_the_compile_database_may_be_anywhere(ompls, tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "a.c", tmp_path / "out" / "debug"
    path.write_text("#ifdef WRONG\n#pragma omp taget\n#endif\nint x;\n")
    elsewhere.mkdir(parents=True)
    entry = {"directory": str(tmp_path), "file": "a.c", "command": "gcc -DWRONG -fopenmp -c a.c"}
    (elsewhere / "compile_commands.json").write_text(json.dumps([entry]))
    assert ompls("check", path).code == 0
    for given in (elsewhere, elsewhere / "compile_commands.json"):
        assert ompls("check", "-p", given, path).code == 1
    done = ompls("check", "-p", tmp_path, path)
    assert (done.code, done.out) == (2, "")
    assert "there is no compile_commands.json and no compile_flags.txt in" in done.err


def test_a_source_that_others_include_is_checked_with_them(ompls, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    part = tmp_path / "parts" / "more.c"
    part.write_text("static int more(void) { return limit + LIMIT + never; }\n")
    text = '#define LIMIT 2\nstatic int limit;\n# include "parts/more.c"\nint main(void) { return more(); }\n'
    (tmp_path / "main.c").write_text(text)
    done = ompls("check", tmp_path)
    assert "1 file checked: 1 error" in done.err
    assert "`never` undeclared" in done.out
    assert "3 errors" in ompls("check", part).err, "a file that is named is a unit of its own"
    entry = {"directory": str(part.parent), "file": "more.c", "command": "gcc -fopenmp -c more.c"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    assert "2 files checked" in ompls("check", tmp_path).err


def test_what_cannot_be_read_is_said_whatever_is_selected(ompls, tmp_path: Path) -> None:
    path = tmp_path / "broken.c"
    path.write_text("int f(void) { return 1 }\n")
    done = ompls("check", "--select", "mapping", path)
    assert (done.code, "[syntax-error]" in done.out) == (1, True)
    assert ompls("check", "--select", "mapping", "--ignore", "syntax-error", path).code == 0


def test_an_unknown_rule_is_an_error_with_near_names(ompls, mistakes: Path) -> None:
    done = ompls("check", "--select", "unknown-directiv", mistakes)
    assert done.code == 2
    assert "did you mean unknown-directive" in done.err


def test_a_comment_silences_a_rule(ompls, mistakes: Path) -> None:
    mistakes.write_text(MISTAKES.replace("    #pragma", "    // ompls: ignore[unknown-directive]\n    #pragma"))
    assert "unknown-directive" not in ompls("check", mistakes).out


def test_fix_repairs_the_file(ompls, mistakes: Path) -> None:
    done = ompls("check", "--fix", mistakes)
    assert done.code == 0
    assert "1 edit made" in done.err
    assert mistakes.read_text() == MISTAKES.replace("paralel", "parallel")
    again = ompls("check", "--fix", mistakes)
    assert (again.code, again.err) == (0, "ompls: 0 edits made\nompls: 1 file checked: no findings\n")
    assert mistakes.read_text() == MISTAKES.replace("paralel", "parallel")


def test_fix_keeps_line_ends_marks_and_permissions_and_follows_links(ompls, tmp_path: Path) -> None:
    before = b"\xef\xbb\xbf" + MISTAKES.replace("\n", "\r\n").encode() + "/* gr\u00fc\u00dfe */".encode("latin-1")
    path, link = tmp_path / "real.c", tmp_path / "link.c"
    path.write_bytes(before)
    path.chmod(0o640)
    link.symlink_to(path)
    ompls("check", "--fix", link)
    assert link.is_symlink()
    assert path.read_bytes() == before.replace(b"paralel", b"parallel")
    assert path.stat().st_mode & 0o777 == 0o640


def test_takes_the_compilers_options(ompls, tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc/sizes.h").write_text("#define PRAGMA(x) _Pragma(#x)\n")
    path = tmp_path / "user.c"
    path.write_text('#include "sizes.h"\nvoid f(void)\n{\n    PRAGMA(omp target misspelt)\n    { }\n}\n')
    assert ompls("check", "-Dmisspelt=nowait", "-I", tmp_path / "inc", path).code == 0
    done = ompls("check", f"-I{tmp_path / 'inc'}", path)
    assert done.code == 1
    assert "user.c:4:" in done.out


def test_finds_the_compilers_options_in_the_project(ompls, tmp_path: Path) -> None:
    path = tmp_path / "user.c"
    path.write_text("void f(void)\n{\n    #pragma omp target misspelt\n    { }\n}\n")
    entry = {"directory": str(tmp_path), "file": "user.c", "command": "gcc -Dmisspelt=nowait -c user.c"}
    (tmp_path / "build").mkdir()
    (tmp_path / "build/compile_commands.json").write_text(json.dumps([entry]))
    assert ompls("check", path).code == 0


def test_reports_a_headers_mistake_once(ompls, tmp_path: Path) -> None:
    (tmp_path / "kernel.h").write_text("static inline void f(void)\n{\n    #pragma omp target nowiat\n    { }\n}\n")
    for name in ("one.c", "two.c"):
        (tmp_path / name).write_text('#include "kernel.h"\n')
    done = ompls("check", tmp_path / "one.c", tmp_path / "two.c")
    assert done.out.count("kernel.h:3:") == 1


def test_never_imports_the_language_server(tmp_path: Path) -> None:
    code = (
        "import sys; from ompls.cli import main; main(sys.argv[1:]);"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('pygls', 'lsprotocol', 'jinja2')"
        " or m.startswith('ompls.runtime.')"
        " and m.rpartition('.')[2] not in ('contained', 'cache', 'errors', 'folders', 'home', 'machine')];"
        "sys.exit(', '.join(bad) or 0)"
    )
    command = [sys.executable, "-c", code, "check", "--quiet", str(EXAMPLES / "saxpy.c")]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_who_translates_imports_only_the_rules_about_lost_pragmas(tmp_path: Path) -> None:
    code = (
        "import sys; from ompls.cli import lost, main; main(sys.argv[1:]);"
        "from ompls.analysis.rulenames import modules;"
        "found = {m for m in modules() if 'ompls.analysis.rules.' + m in sys.modules};"
        "sys.exit(', '.join(found ^ {name.replace('-', '_') for name in lost._LOST}) or 0)"
    )
    command = [sys.executable, "-c", code, "translate", "--device", "host", "-o", "made", str(EXAMPLES / "saxpy.c")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_rule_is_explained(ompls) -> None:
    """Each has its page: tests/rules/test_examples.py."""
    done = ompls("explain", "missing-reduction")
    assert (done.code, done.out) == (0, manual("missing-reduction"))


def test_explain_knows_near_names(ompls) -> None:
    done = ompls("explain", "unknown-claus")
    assert done.code == 2
    assert "did you mean unknown-clause" in done.err
    assert "unknown-clause" in ompls("explain").out
    assert "did you mean missing-reduction or " in ompls("explain", "reduktion").err
    assert "did you mean unused-map?" in ompls("explain", "map_unused").err
    assert "'ompls explain' lists them" in ompls("explain", "foo").err


def test_of_two_headers_with_one_name_each_file_gets_its_own(ompls, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/size.h").write_text("#define CLAUSE misspelt\n")
    (tmp_path / "lib/api.h").write_text('#include "size.h"\n')
    (tmp_path / "size.h").write_text("#undef CLAUSE\n#define CLAUSE nowait\n")
    text = '#include "lib/api.h"\n#include "size.h"\nvoid f(void)\n{\n    #pragma omp target CLAUSE\n    { }\n}\n'
    (tmp_path / "main.c").write_text(text)
    assert ompls("check", "main.c").code == 0
    assert ompls("check", tmp_path / "main.c").code == 0


def test_a_device_that_nobody_chose_is_a_guess(ompls, tmp_path: Path) -> None:
    """What it cannot run is a hint then, and a warning for the device that was asked for."""
    path = tmp_path / "atomic.c"
    path.write_text(
        "void f(int n, int *a) {\n#pragma omp target map(tofrom: a[0:n])\n{ _Atomic int l; a[0] = 1; }\n}\n"
    )
    what = "the atomic variable `l` cannot run on cuda"
    select = ("--select", "unsupported-on-device")
    done = ompls("check", *select, path)
    assert (done.code, f"hint: {what}" in done.out) == (0, True)
    done = ompls("check", *select, "--device", "cuda", path)
    assert (done.code, f"warning: {what}" in done.out) == (1, True)
    assert ompls("check", *select, "--device", "host", path).out == ""


@pytest.mark.parametrize("between", [
    "\n", "  // a comment\n", "\n#pragma omp target map(tofrom: a) \\\n    nowait\n", "\r\n\n  # pragma omp target\r\n",
])  # fmt: skip
def test_what_is_missing_at_the_end_of_a_line_is_told_in_the_compilers_words(ompls, tmp_path, between) -> None:
    path = tmp_path / "x.c"
    path.write_bytes(f"int main(void) {{\n  int a[4];\n  int x = 3{between}  a[0] = 1;\n  return x;\n}}\n".encode())
    said = ompls("check", path)
    assert (said.code, said.out.count("[syntax-error]")) == (1, 1)
    assert ":3:" in said.out
    assert ": error: expected ',' or ';' before 'a' [syntax-error]" in said.out


def test_syntax_errors_are_told_in_the_compilers_words(ompls, tmp_path) -> None:
    (tmp_path / "own.h").write_text("typedef int number;\n")
    path = tmp_path / "x.c"
    path.write_text('#include "own.h"\nint g(number n) { return n }\nint h(void) { return 1 + ; }\n')
    said = ompls("check", path).out
    assert ": error: expected ';' before '}' token [syntax-error]" in said
    assert ": error: expected expression before ';' token [syntax-error]" in said
    (tmp_path / ".ompls.toml").write_text('[severity]\nsyntax-error = "warning"\n')
    assert ": warning: expected ';' before" in ompls("check", path).out
    path.write_text('#line 7 "y.c"\nint g(int n) { return n }\n')  # gcc speaks of another file
    assert ": warning: expected ';' [syntax-error]" in ompls("check", path).out


def test_what_files_have_in_common_is_analysed_once(tmp_path, monkeypatch) -> None:
    loop = "#pragma omp target map(to: y[0:n])\n  for (int i = 0; i < n; i++) y[i] = half(y[i]);\n"
    (tmp_path / "own.h").write_text(
        f"static float half(float x) {{ return x / 2; }}\nvoid g(int n, float *y) {{\n{loop}}}\n"
    )
    names = ("first.c", "second.c", "third.c")
    for name, more in zip(names, ("", "#define OTHER 1\n", "#define half twice\n"), strict=True):
        (tmp_path / name).write_text(f'{more}#include "own.h"\nvoid {name[:-2]}(int n, float *y) {{\n{loop}}}\n')
    monkeypatch.chdir(tmp_path)
    engine, contents = Engine(Options(names), one_by_one=True), []
    for name in names:
        unit = engine.unit(name)
        said = report(unit)
        assert said.diagnostics
        assert said == report(Engine(Options((name,))).unit(name))
        contents.append([item.content for item in unit.tu.items])
    first, second, third = contents
    assert first[:2] == second[:2]  # by identity
    assert {*first, *second}.isdisjoint(third)


def test_what_the_compiler_takes_is_no_error(tmp_path, monkeypatch) -> None:
    (tmp_path / "x.c").write_text("int g(int n) { return n }\n")
    monkeypatch.chdir(tmp_path)
    unit = Engine(Options(("x.c",))).unit("x.c")
    assert [d.severity for d in report(replace(unit, compiler_errors=dict)).diagnostics] == ["hint"]
    assert [d.severity for d in report(replace(unit, compiler_errors=lambda: None)).diagnostics] == ["warning"]
