"""What the extension for VS Code brings as data: the grammar for pragmas, snippets, problem matchers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.notes import diagnostics
from ompls.analysis.rules import check
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings
from ompls.analysis.spec import CLAUSES, DIRECTIVES
from ompls.project.projectfile import load

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
GRAMMAR = json.loads((EXTENSION / "syntaxes" / "openmp.json").read_text("utf-8"))["repository"]
SNIPPETS = json.loads((EXTENSION / "snippets" / "openmp.json").read_text("utf-8"))
MANIFEST = json.loads((EXTENSION / "package.json").read_text("utf-8"))


def coloured(line: str) -> list[tuple[str, str]]:
    """The words of a pragma without parentheses, with the last part but one of their scopes."""
    begin = re.match(GRAMMAR["pragma"]["begin"], line)
    assert begin is not None
    found, at = [], begin.end()
    rules = [(re.compile(p["match"]), p["name"].split(".")[-2]) for p in GRAMMAR["pragma"]["patterns"] if "match" in p]
    while hits := [(m.start(), n) for n, (p, _) in enumerate(rules) if (m := p.search(line, at))]:
        pattern, name = rules[min(hits)[1]]
        matched = pattern.search(line, at)
        assert matched is not None
        found.append((matched[0], name))
        at = matched.end()
    return found


def test_every_directive_and_clause_has_a_colour() -> None:
    for directive in DIRECTIVES:
        assert coloured(f"  #pragma omp {directive}") == [(word, "directive") for word in directive.split()], directive
    for clause in CLAUSES:
        assert coloured(f"#pragma omp target {clause}(x)")[1:] == [(clause, "clause")], clause


def test_a_pragma_ends_where_its_line_does() -> None:
    end = re.compile(GRAMMAR["pragma"]["end"])
    assert end.search("#pragma omp target")
    assert not end.search("#pragma omp target \\")


@pytest.mark.parametrize("name", SNIPPETS)
def test_what_a_snippet_inserts_is_correct(name: str) -> None:
    body = "\n".join(SNIPPETS[name]["body"])
    chosen = dict(re.findall(r"\$\{(\d)[:|]([^,}|]*)[^}]*\}", body))
    text = re.sub(r"\$\{?(\d)(?:[:|][^}]*\})?", lambda m: chosen.get(m[1], ""), body)
    inside = text if name == "declare target" else f"void f(int n, double *x) {{\n{text}\n}}\n"
    tu = Analyzer().analyze("x.c", inside.encode(), EMPTY_SNAPSHOT, Settings())
    assert [(d.rule, d.message) for d in (*check(tu), *diagnostics(tu)) if d.severity != "hint"] == []


def test_no_snippet_is_offered_while_a_pragma_is_typed() -> None:
    """VS Code looks for prefixes with blanks in all of the line: Enter behind `omp target ` would insert one."""
    assert [s["prefix"] for s in SNIPPETS.values() if not re.fullmatch(r"omp[a-z]+", s["prefix"])] == []


def matched(name: str, line: str) -> dict[str, Any] | None:
    (pattern,) = [m["pattern"] for m in MANIFEST["contributes"]["problemMatchers"] if m["name"] == name]
    found = re.match(pattern["regexp"], line)
    return {k: found[g] for k, g in pattern.items() if isinstance(g, int) and found[g]} if found else None


def test_messages_of_compilers_and_of_the_run_time_are_problems() -> None:
    said = {"file": "a b/x.c", "line": "12", "column": "3", "severity": "error", "message": "expected ';'"}
    assert matched("ompls", "a b/x.c:12:3: error: expected ';'") == said
    at_run_time = "x.c:7: region on cudasim: out of memory: 4 GiB; map less"
    assert matched("ompls", at_run_time) == {"file": "x.c", "line": "7", "message": "out of memory: 4 GiB; map less"}
    assert matched("ompls", "ompls: error: no device; say --device") is None
    assert matched("ompls-nvrtc", "x.cu(4): error: identifier \"y\" is undefined") == {
        "file": "x.cu", "line": "4", "severity": "error", "message": 'identifier "y" is undefined'
    }  # fmt: skip


def test_the_walkthrough_has_what_it_names() -> None:
    (walkthrough,) = MANIFEST["contributes"]["walkthroughs"]
    commands = {c["command"] for c in MANIFEST["contributes"]["commands"]}
    for step in walkthrough["steps"]:
        assert (EXTENSION / step["media"]["markdown"]).is_file()
        named = re.findall(r"command:(?:toSide:)?([\w.]+)", step["description"])
        assert {*named, *(e.partition(":")[2] for e in step["completionEvents"])} <= commands


def test_the_sample_project_is_in_the_package_and_can_be_read() -> None:
    (files,) = re.findall(r"const FILES = {(.+?)}", (EXTENSION / "src/features/sample.ts").read_text())
    copied = dict(re.findall(r"copyFile\('(.+?)', 'dist/sample/(.+?)'\)", (EXTENSION / "esbuild.mjs").read_text()))
    assert set(copied.values()) == set(re.findall(r": '(.+?)'", files))
    assert "!dist/sample/*" in (EXTENSION / ".vscodeignore").read_text().splitlines()
    for source in copied:
        assert (EXTENSION / source).is_file()
    project = load(str(EXTENSION / "sample/.ompls.toml"))
    assert project is not None
    assert project.problems == ()


def test_keys_are_those_of_the_page() -> None:
    titles = {c["command"]: c["title"].rstrip("…") for c in MANIFEST["contributes"]["commands"]}
    page = (EXTENSION / "README.md").read_text("utf-8")
    for binding in MANIFEST["contributes"]["keybindings"]:
        key = "Ctrl+Alt+G " + binding["key"].removeprefix("ctrl+alt+g ").upper()
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {key} |")]
        assert titles[binding["command"]] in row


def test_menus_offer_commands_that_there_are() -> None:
    commands = {c["command"] for c in MANIFEST["contributes"]["commands"]}
    menus = MANIFEST["contributes"]["menus"]
    assert {entry["command"] for menu in menus.values() for entry in menu if "command" in entry} <= commands
    assert {s["id"] for s in MANIFEST["contributes"]["submenus"]} <= menus.keys()
