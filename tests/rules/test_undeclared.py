"""Names that nothing declares: those that gcc calls undeclared, and no others."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from drawing import analyze, findings

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import check
from ompls.analysis.source import HeaderSnapshot, Macro, Settings
from ompls.analysis.syntax import expand
from ompls.project.workspace import Workspace

# Every name that begins with `no_` is declared nowhere.
TEXT = """
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <omp.h>
#define COUNT(x) (no_macro + (x))
#define UNUSED no_unused
enum { FIRST = no_first, SECOND = 2 };
struct item { int n, *data; struct { int deep; }; };
typedef double real;
extern int table[SECOND], wrong[no_size];
static struct item items[] = {{.n = 1, .data = (int[]){SECOND, no_value}}, {.deep = 2}};
int callee(int (*)(int), real);
static int old(a, b) int a; real b; { return a + (int)b + no_old; }
static int several(int n, ...) {
    va_list list;
    va_start(list, n);
    int x = va_arg(list, int) + no_argument;
    va_end(list);
    return x;
}
static int hosted(int n, int rows[n][n]) {
    __label__ here;
    void *at = &&here;
    real r = (real)n * sizeof(struct item) + sizeof n + offsetof(struct item, data) + __alignof__(real);
    char text[] = __FILE__ __DATE__;
    goto *at;
here:
    printf("%s %s %d", __func__, __FUNCTION__, errno + (int)r);
    fprintf(stderr, "%s", text);
    __auto_type copy = _Generic(r, real: n, default: 0) + 1;
    typeof(copy) other = __extension__({ int inner = copy; inner; });
    asm volatile("" : "+r"(other) : [named] "r"(copy) : "memory");
    if (__builtin_expect(other, 0) || __builtin_types_compatible_p(int, real)) other = __builtin_popcount(n);
    for (int i = 0; i < n; i++) rows[i][0] = i;
    switch (n) { case FIRST: case SECOND ... 9: return no_case; }
    return rows[0][0] + no_code + no_code + sizeof(no_operand) + __INT_MAX__ + EXIT_SUCCESS;
}
#pragma omp declare reduction(merge: struct item: omp_out.n += omp_in.n) initializer(omp_priv = omp_orig)
#pragma omp declare target
static int inner_of(int k) { return k + no_device; }
#pragma omp end declare target
#pragma omp declare simd uniform(p) linear(k) simdlen(4)
static int lanes(int *p, int k) { return p[k]; }
int main(int argc, char **argv) {
    struct item it = {0};
    int a[10], *p = a, n = argc;
    omp_depend_t object;
    omp_lock_t lock;
    #pragma omp target teams num_teams(no_teams) thread_limit(COUNT(1)) map(tofrom: no_section[0:n])
    a[0] = n;
    #pragma omp target data map(to: p[0:n], it.data[0:no_member]) if(no_if) device(no_number)
    a[0] = inner_of(n) + implicit(n) + lanes(p, n);
    #pragma omp target update to(a[0:n], no_update)
    #pragma omp target enter data map(to: no_enter)
    #pragma omp parallel for reduction(merge: it) schedule(static, no_chunk) private(no_private) proc_bind(close)
    for (int i = 0; i < n; i++) it.n += i;
    #pragma omp parallel default(none) shared(a, n) num_threads(SECOND) if(parallel: n)
    {
        #pragma omp critical(name) hint(omp_sync_hint_none)
        a[0] = n;
        #pragma omp cancel parallel
        #pragma omp flush(no_flush)
    }
    #pragma omp task depend(iterator(int k = 0:n), out: a[k], no_depend[k]) depend(mutexinoutset: n) final(no_f)
    a[1] = 0;
    #pragma omp depobj(object) depend(inout: n)
    #pragma omp task allocate(omp_default_mem_alloc: n) firstprivate(n) detach(no_event)
    n = UNUSED2;
    #pragma omp atomic update
    a[0] += no_atomic;
#if 0
    no_inactive = 1;
#endif
    omp_init_lock(&lock);
    return callee(abs, old(1, 2) + several(1, 2) + hosted(1, (void *)p) + table[0] + items[0].n) + (argv == NULL);
}
#define UNUSED2 1
"""


def test_they_are_gccs(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(TEXT)
    command = ["gcc", "-fopenmp", "-fsyntax-only", "-w", path]
    gcc = subprocess.run(command, capture_output=True, text=True, check=False, env={"LC_ALL": "C", "PATH": "/usr/bin"})
    theirs = set(re.findall(r"'(\w+)' (?:undeclared|has not been declared)", gcc.stderr))
    assert len(theirs) > 20, gcc.stderr
    snapshot = Workspace([str(tmp_path)]).snapshot(str(path), TEXT.encode())
    said = check(analyze(TEXT, Settings(select=("undeclared-name",)), snapshot))
    assert {d.severity for d in said} == {"error"}
    ours = {d.message.split("`")[1] for d in said}
    assert ours == theirs


CODE = "int f(int n) { return n + total; }\n"


@pytest.mark.parametrize(
    ("head", "severity"),
    [("", "error"), ('#include "config.h"\n', ""), ("int __seg_fs total;\n", "hint"), ("int g(void) { + }\n", "error")],
)
def test_a_declaration_that_is_not_known_may_declare_it(head: str, severity: str) -> None:
    assert [d.severity for d in findings(head + CODE, "undeclared-name")] == ([severity] if severity else [])


@pytest.mark.parametrize(("gcc", "standard", "count"), [("12", "201710L", 2), ("15", "202311L", 0)])
def test_words_that_c23_made_keywords(gcc: str, standard: str, count: int) -> None:
    macros = (Macro("__GNUC__", None, gcc), Macro("__STDC_VERSION__", None, standard))
    text = b"int f(void) { return true + false; }\n"
    tu = Analyzer().analyze("x.c", text, HeaderSnapshot(standard, macros), Settings())
    assert len(check(tu)) == count


def test_nothing_is_kept_that_another_version_declares() -> None:
    analyzer = Analyzer()
    snapshot, settings = HeaderSnapshot("none", (Macro("__GNUC__", None, "12"),)), Settings()
    for head, count in (("", 1), ("int total;\n", 0), ("", 1), ("int __seg_fs total;\n", 1)):
        said = check(analyzer.analyze("x.c", (head + CODE).encode(), snapshot, settings))
        assert len([d for d in said if d.rule == "undeclared-name"]) == count


NOT_UNDERSTOOD = """
#include <stdlib.h>
int g(int n, int *p) {
    int inner(const void *a, const void *b) { return *(const int *)a - *(const int *)b + n; }
    qsort(p, n, sizeof *p, inner);
    return 0;
}
struct s { int x, y; };
int of_words(void) {
    return sizeof(__typeof__("abc")) + __builtin_offsetof(struct s, y) + __builtin_types_compatible_p(int, long);
}
"""


def test_nothing_is_said_of_what_is_read_as_something_else(tmp_path: Path) -> None:
    """Functions in functions declare names that we do not see; `typeof(…)` is read as one word."""
    path = tmp_path / "x.c"
    path.write_text(NOT_UNDERSTOOD)
    subprocess.run(["gcc", "-fsyntax-only", path], check=True)
    snapshot = Workspace([str(tmp_path)]).snapshot(str(path), NOT_UNDERSTOOD.encode())
    assert check(analyze(NOT_UNDERSTOOD, Settings(select=("undeclared-name",)), snapshot)) == []


@pytest.mark.parametrize(("most", "said"), [(200, ["error"]), (3, [])])
def test_a_line_that_is_too_much_to_expand_may_declare_what_nobody_knows(
    monkeypatch: pytest.MonkeyPatch, most: int, said: list[str]
) -> None:
    monkeypatch.setattr(expand, "MAX_TOKENS", most)
    text = "#define COUNTERS int i, j, k\nint f(void) { COUNTERS; return 1; }\nint g(void) { return l; }\n"
    assert [d.severity for d in findings(text, "undeclared-name")] == said
    assert analyze(text).declarations_known == bool(said)
