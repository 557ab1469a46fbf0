"""Project files: where they are found, what they may say, and what is said about mistakes in them."""

from __future__ import annotations

import codecs
import subprocess
import sys
from pathlib import Path

import pytest
from named import devices

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.rulenames import rule_ids
from ompls.analysis.rules import RULES
from ompls.analysis.source import Location
from ompls.project.globs import matches
from ompls.project.layers import read, settings_of
from ompls.project.projectfile import ProjectFile, ProjectFiles, load
from ompls.project.workspace import Workspace

WHOLE = """\
openmpVersion = "5.1"
device = "host"
flags = ["-Iinclude", "-DN=4", "-fplugin=evil.so", "@more"]
select = ["mapping", "unknown-clause"]
ignore = ["section-bounds"]
exclude = ["third_party", "src/*.gen.c"]

[severity]
to-write-lost = "error"
mapping = "hint"

[per-path-ignores]
"tests/**" = ["unknown-clause"]
"""


def project(directory: Path, text: str, name: str = ".ompls.toml") -> ProjectFile:
    path = directory / name
    path.write_text(text, encoding="utf-8")
    found = load(str(path))
    assert found is not None
    return found


def test_says_everything_that_a_project_decides(tmp_path: Path) -> None:
    found = project(tmp_path, WHOLE)
    assert found.problems == ()
    settings = settings_of(found.layer)
    assert settings.openmp_version == "5.1"
    assert settings.preview.device == "host"
    assert settings.flags == (f"-I{tmp_path}/include", "-DN=4")
    assert settings.diagnostics.select == ("mapping", "unknown-clause")
    assert settings.diagnostics.ignore == ("section-bounds",)
    assert settings.diagnostics.severity == (("mapping", "hint"), ("to-write-lost", "error"))
    analysis = settings.for_analysis()
    assert (analysis.openmp, *analysis.devices, analysis.ignore) == ("5.1", *devices("host"), ("section-bounds",))
    assert analysis.severity == settings.diagnostics.severity


def test_pyproject_has_a_table_for_it(tmp_path: Path) -> None:
    text = '[project]\nname = "x"\n\n[tool.ompls]\nopenmpVersion = "4.5"\n[tool.ompls.severity]\nmapping = "off"\n'
    found = project(tmp_path, text, "pyproject.toml")
    assert found.layer == {"openmp_version": "4.5", "diagnostics.severity": (("mapping", "off"),)}
    assert found.lines == {"openmp_version": 5, "diagnostics.severity": 6}


@pytest.mark.parametrize(
    "text", ['[project]\nname = "ompls-user"\n', "[tool.black]\n", "# ompls\n[broken\n", "tool = 3  # ompls\n"]
)
def test_a_pyproject_of_others_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert load(str(tmp_path / "pyproject.toml")) is None


MISTAKES = [
    ('opnmpVersion = "5.1"\n', "1: unknown setting 'opnmpVersion'; did you mean 'openmpVersion'?"),
    ('\nxyzzy = "5.1"\n', "2: unknown setting 'xyzzy'; there are openmpVersion, flags, select"),
    ('\nopenmpVersion = "7.0"\n', "2: openmpVersion: expected one of '4.0'"),
    ("flags = 0x" + "f" * 5_000 + "\n", "1: flags: expected a list of texts, got a number of too many digits"),
    ("flags = 3\n", "1: flags: expected a list of texts, got 3; correct it"),
    ('device = "cudda"\n', "1: device: unknown device 'cudda': no device has this name; did you mean 'cuda'?"),
    ('ignore = [\n  "mapping",\n  "to-wite-lost",\n]\n', "3: ignore: unknown rule 'to-wite-lost'"),
    (
        '[severity]\nmaping = "off"\n',
        "2: severity: unknown rule 'maping': no rule or group has this name; did you mean",
    ),
    ('[severity]\nmapping = "of"\n', "1: severity: expected rules with 'error'"),
    ('openmpVersion = "5.1"\nseverity.nix-da = "off"\n', "2: severity: unknown rule 'nix-da'"),
    ('[per-path-ignores]\n"*.h" = "mapping"\n', "1: per-path-ignores: expected paths with lists of rules"),
    ('openmpVersion = "5.1"\nopenmpVersion = \n', "2: is no TOML: "),
    ("openmpVersion = '5.1\n", "1: is no TOML: "),
]


@pytest.mark.parametrize(("text", "problem"), MISTAKES)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    found = project(tmp_path, text)
    assert len(found.problems) == 1
    assert found.problems[0].startswith(f"{tmp_path}/.ompls.toml:{problem}")


def test_good_settings_beside_a_mistake_are_taken(tmp_path: Path) -> None:
    found = project(tmp_path, 'opnmpVersion = "5.1"\nignore = ["nix", "mapping"]\n')
    assert found.layer == {"diagnostics.ignore": ("mapping",)}


@pytest.mark.parametrize(
    "data", [b"openmpVersion = '\xff'\n", b"\0\0\0", b"[" * 100_000, b"a = " + b"[" * 5_000, b"a = " + b"9" * 5_000]
)
def test_bytes_of_any_kind_are_a_problem_at_most(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ".ompls.toml").write_bytes(data)
    found = load(str(tmp_path / ".ompls.toml"))
    assert found is not None
    assert len(found.problems) == 1


def test_the_nearest_one_upwards_counts(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    files = ProjectFiles()
    source = str(tmp_path / "a/b/x.c")
    (tmp_path / "pyproject.toml").write_text('[tool.ompls]\nopenmpVersion = "4.0"\n')
    first = files.of(source)
    assert first is not None
    assert first.layer == {"openmp_version": "4.0"}
    (tmp_path / "a/.ompls.toml").write_text('openmpVersion = "4.5"\n')
    (tmp_path / "a/b/pyproject.toml").write_text("[project]\n")
    second = files.of(source)
    assert second is not None
    assert second.layer == {"openmp_version": "4.5"}
    (tmp_path / "a/.ompls.toml").unlink()
    assert files.of(source) == first


def test_its_flags_come_after_the_databases_and_before_those_given(tmp_path: Path) -> None:
    (tmp_path / "compile_flags.txt").write_text("-DA=1\n")
    (tmp_path / ".ompls.toml").write_text('flags = ["-DA=2"]\n')
    workspace = Workspace([str(tmp_path)], ["-DA=3"])
    assert workspace.flags(str(tmp_path / "x.c")) == ("-DA=1", "-DA=2", "-DA=3")


def test_files_of_a_project_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "compile_flags.txt").write_bytes(codecs.BOM_UTF8 + b"-DA=1\n")
    (tmp_path / ".ompls.toml").write_bytes(codecs.BOM_UTF8 + b'flags = ["-DA=2"]\n')
    assert Workspace([str(tmp_path)]).flags(str(tmp_path / "x.c")) == ("-DA=1", "-DA=2")


def test_what_is_relative_is_meant_from_the_first_root(tmp_path: Path) -> None:
    """Wherever the server was started."""
    workspace = Workspace([str(tmp_path), "/elsewhere"], ["-Iinclude"])
    assert workspace.flags("untitled:x.c") == (f"-I{tmp_path}/include",)


def test_stronger_layers_win() -> None:
    project = {"openmp_version": "4.5", "diagnostics.ignore": ("mapping",), "flags": ("-DA",)}
    editor, problems = read({"openmpVersion": "5.0", "flags": ["-DB"], "preview": {"device": "cuda"}})
    assert problems == []
    assert "preview.device" not in editor  # a default: some editors send them all
    both = settings_of(project, editor)
    assert (both.openmp_version, both.flags, both.diagnostics.ignore) == ("5.0", ("-DA", "-DB"), ("mapping",))
    chosen = settings_of(project, {"diagnostics.select": ("mapping",)})
    assert chosen.diagnostics.ignore == ()


def test_rules_are_ignored_by_path(tmp_path: Path) -> None:
    text = '[per-path-ignores]\n"tests/**" = ["structure"]\n"*.gen.c" = ["syntax-error"]\n'
    settings = settings_of(project(tmp_path, text.replace('["syntax-error"]', '["map-type"]')).layer)

    def kept(path: str, rule: str) -> bool:
        found = [Diagnostic(rule, "error", "", Location(path, 0, 1))]
        return settings.kept(found, lambda p: str(tmp_path / p)) == found

    assert not kept("tests/deep/x.c", "unknown-clause")
    assert kept("tests/deep/x.c", "to-write-lost")
    assert kept("src/x.c", "unknown-clause")
    assert not kept("src/x.gen.c", "map-type")


GLOBS = [
    ("/p/**/build", "/p/build/x.c", True),
    ("/p/**/build", "/p/a/b/build/x.c", True),
    ("/p/**/build", "/p/builder/x.c", False),
    ("/p/src/*.c", "/p/src/a.c", True),
    ("/p/src/*.c", "/p/src/d/a.c", False),
    ("/p/src/**/*.c", "/p/src/d/e/a.c", True),
    ("/p/src/**", "/p/src/d/e/a.c", True),
    ("/p/?.c", "/p/ab.c", False),
    ("/p/a.c", "/p/axc", False),
    (r"/\[p\]/*.c", "/[p]/a.c", True),
]


@pytest.mark.parametrize(("glob", "path", "expected"), GLOBS)
def test_patterns(glob: str, path: str, expected: bool) -> None:
    assert matches(glob, path) == expected


def test_a_device_counts_as_chosen_where_somebody_names_it_also_the_default() -> None:
    assert not settings_of({}).for_analysis().device_chosen
    for layers in (({"preview.device": "cuda"},), ({"preview.device": "cuda"}, {"openmp_version": "5.0"})):
        settings = settings_of(*layers).for_analysis()
        assert (settings.devices, settings.device_chosen) == (devices("cuda"), True)


def test_the_version_has_one_name() -> None:
    assert read({"openmp": "4.5"})[0] == {}
    assert read({"openmpVersion": "4.5"})[0] == {"openmp_version": "4.5"}


def test_names_of_rules_are_known_without_the_rules() -> None:
    """A server that is to answer soon reads settings with them."""
    assert rule_ids() == set(RULES)
    script = (
        "import sys; from ompls.project.layers import parse;"
        'named = {"diagnostics": {"select": ["map-type"], "ignore": [], "severity": {"map-type": "hint"}}};'
        "print(parse(named)[1], 'ompls.analysis.rules' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] False"
