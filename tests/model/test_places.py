"""Where a finding is shown: at the invocation, with the macros it came through; in the header it stands in."""

from __future__ import annotations

from pathlib import Path

from ompls.analysis import notes, rules
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import Settings
from ompls.project.workspace import Workspace


def found(source: str, folder: Path, headers: dict[str, str] | None = None) -> tuple[list[Diagnostic], dict[str, str]]:
    """The diagnostics, and the texts by path; `headers` are unsaved buffers."""
    workspace = Workspace([str(folder)])
    texts = {str(folder / name): text for name, text in {"main.c": source, **(headers or {})}.items()}
    for path, text in texts.items():
        workspace.open(path, text.encode())
    main = str(folder / "main.c")
    tu = Analyzer().analyze(main, source.encode(), workspace.snapshot(main, source.encode()), Settings())
    assert sum(len(item.content.regions) for item in tu.items) == source.count("REGION") or "REGION" not in source
    return [*notes.diagnostics(tu), *rules.check(tu)], texts


def shown(diagnostic: Diagnostic, texts: dict[str, str]) -> list[str]:
    """The text of the place, then those of the related places that name a macro, with the macro."""
    wheres = [(diagnostic.where, "")]
    wheres += [(r.where, r.message.split("`")[1]) for r in diagnostic.related if "comes from macro" in r.message]
    return [f"{texts[w.path][w.start : w.end]} {name}".strip() for w, name in wheres]


def test_a_finding_in_an_expansion_names_the_macros(tmp_path: Path) -> None:
    source = """#define ADD(v) v = v + 1
#define TWICE(v) ADD(v); ADD(v)
int f(int n) {
#pragma omp target
  { TWICE(n); }
  return n;
}
"""
    diagnostics, texts = found(source, tmp_path)
    assert [shown(d, texts) for d in diagnostics] == [["TWICE(n)", "ADD ADD", "TWICE TWICE"]]


def test_a_pragma_out_of_a_macro(tmp_path: Path) -> None:
    source = """#define OMP(...) _Pragma(#__VA_ARGS__)
void f(int n, double *a) {
  OMP(omp target map(form: a[0:n]))
  a[0] = n;
}
"""
    diagnostics, texts = found(source, tmp_path)
    assert shown(diagnostics[0], texts) == ["OMP(omp target map(form: a[0:n]))", "OMP OMP"]


def test_a_syntax_error_out_of_a_macro(tmp_path: Path) -> None:
    diagnostics, texts = found("#define BAD ) + (\nint f(int n) {\n  return n BAD;\n}\n", tmp_path)
    assert shown(diagnostics[0], texts) == ["BAD", "BAD BAD"]


HEADER = """#pragma once
#define N 100
static inline int inside(int n) {
#pragma omp target
  { n++; }
  return n;
}
"""


def test_a_region_in_an_unsaved_header_between_functions(tmp_path: Path) -> None:
    main = 'int first(void) { return 1; }\n#include "part.h"\nint second(int k) { return inside(k) + N; }\n'
    (tmp_path / "part.h").write_text("#pragma once\n")
    diagnostics, texts = found(main, tmp_path, {"part.h": HEADER})
    assert [(Path(d.where.path).name, shown(d, texts)) for d in diagnostics] == [("part.h", ["n"])]
    assert diagnostics[0].where.start == HEADER.index("n++")


def test_conditions_between_clauses_and_around_branches(tmp_path: Path) -> None:
    source = """#define WIDE 1
int f(int n, double *a, double *b) {
#if WIDE
#pragma omp target teams distribute parallel for \\
    map(a[0:n]) \\
    map(to: b[0:n])
#else
#pragma omp target map(a[0:n])
#endif
  for (int i = 0; i < n; i++)
#ifdef WIDE
    a[i] = b[i];
#else
    a[i] = 0;
#endif
  if (n > 1)
#pragma omp target
    n++;
#if WIDE > 3
  else
    n--;
#endif
  return n;
}
"""
    diagnostics, texts = found(source, tmp_path)
    assert [(d.rule, d.where.start) for d in diagnostics] == [("firstprivate-result-lost", source.index("n++"))]
    assert [shown(d, texts) for d in diagnostics] == [["n"]]
