"""A `taskgraph` is recorded where that cannot be seen but by its standard's rules: which are, and what replays give."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from command import ompls
from together import together

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings
from ompls.translate.graphs.recordable import graph_of

HERE = Path(__file__).parent
TEXT = """
int a[8], large[5000], n, self;
#define self self
void other(void);
void f(int m, int *p, {register}int r)
{{
    int x = 0;
#pragma omp taskgraph {clauses}
    {{
        {body}
    }}
}}
void g(void)
{{
#pragma omp target
    {called}();
}}
"""
TASK = "\n#pragma omp task {}\n{}\n"

RECORDED = {
    "globals": TASK.format("", "a[0]++;"),
    "copies and the variable": TASK.format("shared(x)", "x += m;"),
    "loops that choose": "for (int k = 0; k < m; k++) if (k != n) {"
    + TASK.format("depend(out: a[k])", "a[k] = k;")
    + "}",
    "a block of its own": "int k = m; k += 2;" + TASK.format("", "a[k] = other != 0;"),
    "calls in the task": TASK.format("firstprivate(saved: p)", "{ other(); p[0] = 1; }"),
    "a pointer that is saved": "int *q = p + m;" + TASK.format("firstprivate(saved: q)", "*q = 1;"),
    "taskwait": TASK.format("", "a[0] = 1;") + "\n#pragma omp taskwait\n" + TASK.format("", "a[0] = 2;"),
    "memory of its stack": TASK.format("", "{ char *s = __builtin_alloca(8); s[0] = 1; a[0] = s[0]; }"),
    "atomic": TASK.format("shared(x)", "\n#pragma omp atomic\nx++;"),
    "target": "\n#pragma omp target nowait map(p[0:m]) depend(out: p[0])\np[0] = m;\n",
}
LEFT = {
    "no task": "a[0]++;",
    "code with an effect": "n = 1;" + TASK.format("", "a[0]++;"),
    "code that changes what it did not declare": "x = 1;" + TASK.format("shared(x)", "x++;"),
    "code that calls": "other();" + TASK.format("", "a[0]++;"),
    "a list item that calls": TASK.format("depend(out: a[h()])", "a[0]++;"),
    "a pointer into what may be gone": "int *q = p + m;" + TASK.format("", "*q = 1;"),
    "a variable that is gone": "int k = 0;" + TASK.format("shared(k)", "k++;"),
    "not deferred": TASK.format("if(0)", "a[0]++;"),
    "detached": "omp_event_handle_t e;" + TASK.format("detach(e)", "a[0]++;"),
    "another construct": "\n#pragma omp taskloop nogroup\nfor (int i = 0; i < 4; i++) a[i]++;",
    "a task in the task": TASK.format("", TASK.format("", "a[0]++;")),
    "a static variable": TASK.format("", "{ static int calls; calls++; }"),
    "a register": TASK.format("shared(r)", "r++;"),
    "an array of variable length": "int v[m];" + TASK.format("shared(v)", "v[0]++;"),
    "in another graph": "\n#pragma omp taskgraph\n{" + TASK.format("", "a[0]++;") + "}",
    "a large copy": TASK.format("firstprivate(large)", "a[0] = large[m];"),
    "an iterator that calls": TASK.format("depend(iterator(i = 0 : h()), out: a[i])", "a[0]++;"),
    "a name that is a macro": TASK.format("", "self = 1;"),
    "changed and copied": TASK.format("shared(x)", "x++;") + TASK.format("firstprivate(x)", "a[0] = x;"),
    "of a device that is named": "\n#pragma omp target nowait device(m) map(p[0:m])\np[0] = m;\n",
    "not deferred on the device": "\n#pragma omp target map(p[0:m])\np[0] = m;\n",
    "a type without a name": "struct { int y; } *s = 0; (void)s;" + TASK.format("", "a[0] = 1;"),
    "a type of the function": "struct { int y; } s = {m};" + TASK.format("", "a[0] = s.y;"),
}
CLAUSES = [
    ("", True),
    ("graph_id(m) graph_reset if(m)", True),
    ("nogroup(0)", True),
    ("nogroup", False),
    ("nogroup(m)", False),
]


def recorded(body: str, clauses: str = "", called: str = "other") -> bool:
    register = "register " if "shared(r)" in body else ""
    source = TEXT.format(body=body, clauses=clauses, called=called, register=register)
    tu = Analyzer().analyze("a.c", source.encode(), EMPTY_SNAPSHOT, Settings())
    found = [(i, s) for i in tu.items for s in i.content.directives if s.directive.name == "taskgraph"]
    return any(graph_of(tu, item, stmt) is not None for item, stmt in found)


@together("what", RECORDED)
def test_it_is_recorded(what: str) -> None:
    assert recorded(RECORDED[what])


@together("what", LEFT)
def test_it_stays_a_taskgroup(what: str) -> None:
    assert not recorded(LEFT[what])


@together(("clauses", "wanted"), CLAUSES)
def test_the_clauses_of_the_directive(clauses: str, wanted: bool) -> None:
    assert recorded(RECORDED["globals"], clauses) == wanted


def test_not_in_a_function_of_kernels() -> None:
    assert not recorded(RECORDED["globals"], called="f")


EACH = ["host", pytest.param("cudasim", marks=pytest.mark.thorough)]
PRINTED = """\
shape 481
shape 681
shape 1083
shape 483
forms 100607
forms 100667
forms 727
forms 787
forms 100847
in turn abc
in turn abc
deep 7
deep 7
device 14: 1001 1002 1004 1005
device 14: 2 4 8 10
device 14: 3 6 12 15
"""


@pytest.mark.parametrize("device", EACH)
def test_what_is_recorded_and_what_is_present(device: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`replayable(0)` shows which encounters were replays; recorded again, another saved value ends the program."""
    trace = tmp_path / "trace.json"
    done = ompls("run", "--device", device, "--trace", trace, HERE / "recorded.c")
    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED, "")
    events = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    kinds = Counter(e["kind"] for e in events if "tasks" in e)
    assert kinds == {"graph_build": 10, "graph_launch": 11}
    done = ompls("run", "--device", device, HERE / "recorded.c")
    assert (done.returncode, done.stdout, done.stderr) == (0, PRINTED, "")
    monkeypatch.setenv("OMPLS_GRAPH_CHECK", "1")
    done = ompls("run", "--device", device, HERE / "recorded.c")
    assert (done.returncode, done.stdout) == (125, "shape 481\n")
    assert "recorded.c:11: region: task 0 of the graph is not what was recorded: it was the task of " in done.stderr
    assert "recorded.c:13 with other values; " in done.stderr


@pytest.mark.parametrize("device", EACH)
def test_random_graphs_give_what_a_taskgroup_gives(device: str) -> None:
    done = ompls("run", "--device", device, HERE / "random_graphs.c")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0, 0 and 0 of 200 are wrong\n", "")


@pytest.mark.thorough
def test_a_kernel_that_fails_in_a_replay_is_named() -> None:
    done = ompls("run", "--device", "cudasim", HERE / "failing.c")
    assert (done.returncode, done.stdout) == (125, "0\n")
    assert "failing.c:12: region on cudasim:0 read host address" in done.stderr
    assert "(variable 'bad', not mapped)" in done.stderr
    assert "failing.c:11\n" in done.stderr


def test_variables_of_many_kinds(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    done = ompls("run", "--device", "host", "--trace", trace, HERE / "variables.c")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 of 6 are wrong, the last is 1792.25\n", "")
    assert trace.read_text(encoding="utf-8").count('"kind": "graph_launch"') == 5
