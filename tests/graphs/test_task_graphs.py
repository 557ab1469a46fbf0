"""The static task graph of a region: its nodes and edges, or the reason why there is none.

Each row is the body of a function with what is expected of its graph.  Edges are written `0>1 (x)`: node 1 waits for
node 0 because of its list item `x`; without an item the encountering task waited.
"""

from __future__ import annotations

import sys

import pytest

from ompls.analysis.features.taskgraphs import TaskGraph, folded, task_graphs
from ompls.analysis.graphs import expansion, footprint
from ompls.analysis.graphs.shape import indices, unordered
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

BEFORE = """
enum { N = 3 };
static const int CONST = 2;
static int kept = 2, changing = 2;
int a[16], b[16], c[16], m[4][4], *p[4];
struct { int x, y; } s;
typedef void *omp_depend_t;
void work(int), *find(int);
void piece(int i) {
#pragma omp task depend(inout: a[i])
    work(i);
}
void stir(void) { changing++; }
"""
CHOLESKY = """
enum { NB = %d };
float *A[NB][NB];
void potrf(float *), trsm(float *, float *), gemm(float *, float *, float *), syrk(float *, float *);
void cholesky(void) {
#pragma omp taskgraph
    for (int k = 0; k < NB; k++) {
#pragma omp task depend(inout: A[k][k])
        potrf(A[k][k]);
        for (int i = k + 1; i < NB; i++) {
#pragma omp task depend(in: A[k][k]) depend(inout: A[k][i])
            trsm(A[k][k], A[k][i]);
        }
        for (int l = k + 1; l < NB; l++) {
            for (int j = k + 1; j < l; j++) {
#pragma omp task depend(in: A[k][l]) depend(in: A[k][j]) depend(inout: A[j][l])
                gemm(A[k][l], A[k][j], A[j][l]);
            }
#pragma omp task depend(in: A[k][l]) depend(inout: A[l][l])
            syrk(A[k][l], A[l][l]);
        }
    }
}
"""


def graphs_of(text: str) -> list[TaskGraph]:
    return task_graphs(Analyzer().analyze("a.c", text.encode(), EMPTY_SNAPSHOT, Settings()))


def graph_of(body: str) -> TaskGraph:
    found = [g for g in graphs_of(f"{BEFORE}void f(int n, int *q, int *r) {{\n{body}\n}}\n") if g.function == "f"]
    assert len(found) == 1
    return found[0]


def edges_of(graph: TaskGraph) -> str:
    return " ".join(f"{e.before}>{n.number}" + (f"({e.item})" if e.item else "") for n in graph.nodes for e in n.edges)


def task(depend: str, body: str = "work(0);", before: str = "task") -> str:
    return f"\n#pragma omp {before} {' '.join(f'depend({d})' for d in depend.split('; ') if d)}\n{body}\n"


# (what is tried, the body, edges)
EDGES = [
    (
        "out, in, in, out",
        task("out: a[0]") + task("in: a[0]") * 2 + task("out: a[0]"),
        "0>1(a[0]) 0>2(a[0]) 1>3(a[0]) 2>3(a[0])",
    ),
    ("scalars and members", task("out: s.x") + task("in: s.y") + task("inout: s.x"), "0>2(s.x)"),
    ("a constant loop", f"for (int i = 0; i < N; i++) {{ {task('in: a[i]; out: a[i + 1]')} }}", "0>1(a[i]) 1>2(a[i])"),
    (
        "a loop downwards, with steps",
        f"for (int i = 4; i >= 0; i -= CONST) {{ {task('inout: a[i % 4]')} }}",
        "0>2(a[i%4])",
    ),
    (
        "while, and an induction variable",
        f"int i = 0, j = 8; while (i < kept) {{ {task('out: a[j]; in: a[j + 2]')} i++; j -= 2; }}",
        "0>1(a[j+2])",
    ),
    ("an if that is decided", f"for (int i = 0; i < 4; i++) if (i & 1) {{ {task('inout: a[0]')} }}", "0>1(a[0])"),
    (
        "break and continue",
        f"for (int i = 0; ; i++) {{ if (i == 1) continue; if (i > 3) break; {task('inout: a[0]')} }}",
        "0>1(a[0]) 1>2(a[0])",
    ),
    ("sections", task("out: a[0:4]") + task("in: a[4:4]") + task("in: a[0:2]"), "0>2(a[0:2])"),
    ("rows", task("out: m[1]") + task("in: m[1][0:4]") + task("in: m[2]"), "0>1(m[1][0:4])"),
    ("pointers in memory", task("out: p[1][0]") + task("in: *p[1]") + task("in: p[2][0]"), "0>1(*p[1])"),
    (
        "rows of a length that is not known",
        "int v[n][n];\n" + task("out: v[1][2]") + task("in: v[1][2]") + task("in: v[2][2]") + task("in: v[1][3]"),
        "0>1(v[1][2])",
    ),
    (
        "rows with the index in front, in parentheses, of members",
        "struct { int x, y[2][2]; } t[4];\n" + task("out: (t[1].y)[1][0]") + task("in: 0[t[1].y[1]]"),
        "0>1(0[t[1].y[1]])",
    ),
    (
        "pointers that nothing assigns",
        task("out: q[2]") + "int *t = q + 1;\n" + task("in: t[1]") + task("in: r[2]"),
        "0>1(t[1])",
    ),
    (
        "mutexinoutset",
        task("out: a[0]") + task("mutexinoutset: a[0]") * 2 + task("in: a[0]"),
        "0>1(a[0]) 0>2(a[0]) 1>3(a[0]) 2>3(a[0])",
    ),
    ("inoutset", task("inoutset: a[0]") * 2 + task("mutexinoutset: a[0]"), "0>2(a[0]) 1>2(a[0])"),
    ("one location twice", task("in: a[0]") + task("in: a[0]; out: a[0]") + task("in: a[0]"), "0>1(a[0]) 1>2(a[0])"),
    (
        "iterators",
        task("iterator(i = 0:3), out: a[i]")
        + task("in: a[2]")
        + task("iterator(int i = 0:8:2, j = 0:2), in: a[i + j]"),
        "0>1(a[2]) 0>2(a[i+j])",
    ),
    (
        "depend objects",
        "omp_depend_t d;\n#pragma omp depobj(d) depend(inout: a[1])\n"
        + task("out: a[1]")
        + task("depobj: d")
        + "#pragma omp depobj(d) update(in)\n"
        + task("depobj: d"),
        "0>1(d) 1>2(d)",
    ),
    (
        "omp_all_memory",
        task("out: a[0]") + task("out: a[1]") + task("out: omp_all_memory") + task("in: a[0]"),
        "0>2(omp_all_memory) 1>2(omp_all_memory) 2>3(a[0])",
    ),
    (
        "target tasks",
        task("out: a[0]", before="target nowait map(a[0:4])") + task("in: a[0]", before="target nowait map(a)"),
        "0>1(a[0])",
    ),
    (
        "data motion",
        "#pragma omp target enter data map(to: a) nowait depend(out: a)\n"
        + task("in: a", before="target nowait")
        + "#pragma omp target exit data map(from: a) nowait depend(in: a)\n",
        "0>1(a) 0>2(a)",
    ),
    (
        "a task that is not deferred",
        task("out: a[0]") + task("out: a[1]", before="task if(0)") + task("out: a[2]"),
        "1>2",
    ),
    ("target without nowait", task("out: a[0]") + task("", before="target") + task("out: a[2]"), "1>2"),
    (
        "taskwait",
        task("out: a[0]") + task("out: a[1]") + "#pragma omp taskwait\n" + task("in: a[0]"),
        "0>2 1>2 0>3(a[0]) 2>3",
    ),
    ("taskwait for one", task("out: a[0]") + "#pragma omp taskwait\n" + task("in: a[1]") * 2, "0>1 0>2"),
    (
        "taskwait with depend",
        task("out: a[0]") + task("out: a[1]") + "#pragma omp taskwait depend(in: a[0])\n" + task("out: c"),
        "0>2(a[0]) 2>3",
    ),
    (
        "taskgroup",
        task("out: a[0]") + "#pragma omp taskgroup\n{" + task("out: a[1]") + task("out: a[2]") + "}\n" + task("out: c"),
        "1>3 2>3 3>4",
    ),
    (
        "taskgraph with nogroup",
        "#pragma omp taskgraph nogroup\n{" + task("out: a[0]") + task("in: a[0]") + "}",
        "0>1(a[0])",
    ),
    ("calls", "#pragma omp taskgraph nogroup\n{ for (int i = 0; i < 2; i++) piece(i); piece(1); }", "1>2(a[i])"),
    (
        "taskloop",
        "#pragma omp taskgraph nogroup\n{\n#pragma omp taskloop num_tasks(2)\nfor (int i = 0; i < 9; i++) work(i);\n}",
        "0>2 1>2",
    ),
    (
        "single",
        "#pragma omp parallel\n#pragma omp single\n{ " + task("out: a[0]") + task("in: a[0]") + "}",
        "0>1(a[0])",
    ),
]


@pytest.mark.parametrize(("body", "edges"), [row[1:] for row in EDGES], ids=[row[0] for row in EDGES])
def test_edges(body: str, edges: str) -> None:
    graph = graph_of(body)
    assert graph.reason is None
    assert edges_of(graph) == edges


# (the body, what the reason says)
REASONS = [
    (
        f"for (int i = 0; i < n; i++) {{ {task('out: a[i]')} }}",
        "the trip count of `i` depends on `n`, which is a parameter",
    ),
    (
        f"for (int i = 0; i < changing; i++) {{ {task('out: a[i]')} }}",
        "the trip count of `i` depends on `changing`, which may change",
    ),
    (
        f"for (int i = 0; i < N; i++) {{ {task('out: a[b[i]]')} }}",
        "`a[b[i]]` is not known when compiling: `b[i]` is not known when compiling",
    ),
    (
        f"if (q[0]) {{ {task('out: a[0]')} }}",
        "whether this is reached depends on `q[0]`, which is not known when compiling",
    ),
    (
        f"int i = find(0) != 0; {task('out: a[0]')} {task('out: a[i]')}",
        "`a[i]` is not known when compiling: `find(0)` is not known when compiling",
    ),
    ("omp_depend_t d;\n" + task("depobj: d"), "what the depend object `d` stands for is not known when compiling"),
    (
        f"switch (n) {{ case 1: {task('out: a[0]')} }}",
        "tasks in a `switch`, behind a label or in what was not understood are not followed",
    ),
    (
        f"int i = 0, *t = &i; find(*t); {task('out: a[i]')}",
        "`a[i]` is not known when compiling: `i` may be changed through its address",
    ),
    (
        f"#pragma omp taskgraph\n{{ if (n) return; {task('out: a[0]')} }}",
        "whether this `return` is reached depends on `n`, which is a parameter",
    ),
    (
        "#pragma omp taskgraph\n{\n#pragma omp parallel\n" + task("out: a[0]") + "}",
        "tasks that are created in `parallel` are not followed",
    ),
]


@pytest.mark.parametrize(("body", "why"), REASONS)
def test_reasons(body: str, why: str) -> None:
    graph = graph_of(body)
    assert graph.reason is not None
    assert graph.reason.why == why


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = f"for (;;) {{ {task('out: a[0]')} }}"
    monkeypatch.setattr(expansion, "MOST_NODES", 100)
    (reason,) = [graph_of(f"#pragma omp taskgraph\n{endless}").reason]
    assert reason is not None
    assert reason.why == "it has more than 100 tasks"
    monkeypatch.setattr(expansion, "MOST_STEPS", 100)
    (reason,) = [graph_of(f"#pragma omp taskgraph\n{endless}").reason]
    assert reason is not None
    assert reason.why == "following it takes more than 100 steps"


def test_what_a_task_does_through_calls_is_bounded() -> None:
    """Calls of calls of calls, some of themselves: each construct has so many steps, whatever they lead to."""
    calls = [f"void c{k}(int *p) {{ {f'c{k - 1}(p); ' * 30} p[{k}] = 1; }}\n" for k in range(1, 6)]
    text = f"int a[8];\nvoid c0(int *p) {{ p[0] = 1; c0(p); }}\n{''.join(calls)}"
    (graph,) = graphs_of(f"{text}void f(void) {{ {task('out: a[0]', 'c5(a);')} }}\n")
    accesses = graph.nodes[0].accesses
    assert 1 <= len(accesses) <= footprint.MOST
    assert all(access.called and access.write for access in accesses)


def test_cholesky_has_the_papers_tasks() -> None:
    small, large = (graphs_of(CHOLESKY % nb)[0] for nb in (4, 20))
    assert (small.shape.tasks, small.shape.levels) == (20, 10)
    assert (large.shape.tasks, large.shape.levels, large.shape.edges) == (1540, 58, 3990)
    assert sum(len(group.nodes) for group in folded(large)) == 1540
    assert len(folded(large)) < 100
    assert indices(folded(large)[1].nodes) == "k=0 i=1…19"
    assert [n.number for n in large.nodes if n.number in large.shape.critical][:3] == [0, 1, 20]


def test_the_bytes_that_a_level_needs() -> None:
    graph = graph_of(
        task("out: a[0]", before="target nowait map(a[0:4])")
        + task("out: b[0]", before="target nowait map(b) map(to: a[0:4])")
        + task("in: a[0]; in: b[0]", before="target nowait map(c[0:2])")
    )
    assert (graph.shape.levels, graph.shape.width, graph.shape.bytes) == (2, 2, 16 + 64)


def test_a_missing_dependence_has_its_indices() -> None:
    graph = graph_of(
        "#pragma omp parallel\n#pragma omp single\nfor (int k = 0; k < N; k++) {\n"
        + task("inout: a[k]", "a[k] += 1;")
        + f"for (int l = k + 1; l < N; l++) {{ {task('inout: a[l]', 'a[l] += a[k];')} }} }}"
    )
    found = [(indices([a]), indices([b])) for a, b, _, _ in unordered(graph.nodes)]
    assert ("k=0", "k=0 l=1") in found
    ordered = graph_of(task("inout: a[0]", "a[0]++;") * 2 + task("mutexinoutset: a[1]", "a[2]++;") * 2)
    assert not unordered(ordered.nodes)


def test_what_a_node_costs_is_counted() -> None:
    """As many calls for each of 1,540 nodes as for each of 364, so ten thousand take seven times as long as they."""
    calls: list[int] = []
    for nb in (12, 20):
        text = CHOLESKY % nb
        graphs_of(text)
        count = 0

        def counted(frame: object, event: str, arg: object) -> None:
            nonlocal count
            count += event == "call"

        tu = Analyzer().analyze("a.c", text.encode(), EMPTY_SNAPSHOT, Settings())
        sys.setprofile(counted)
        try:
            (graph,) = task_graphs(tu)
        finally:
            sys.setprofile(None)
        calls.append(round(count / len(graph.nodes)))
    assert calls[0] < 55
    assert calls[1] < 55


@pytest.mark.parametrize("body", [row[1] for row in EDGES[::4]])
def test_nothing_is_raised_on_a_part_of_a_text(body: str) -> None:
    text = f"{BEFORE}void f(int n, int *q, int *r) {{\n{body}\n}}\n"
    for end in range(len(BEFORE), len(text), 23):
        graphs_of(text[:end])
        graphs_of(text[:end] + text[end + 3 :])
