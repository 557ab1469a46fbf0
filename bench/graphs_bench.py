"""What a task of a graph costs: a Cholesky decomposition's 1,540 tasks of nearly nothing, created anew and replayed.

    python bench/graphs_bench.py [--device host,cudasim] [--blocks 20] [--times 30]

Device tasks are run one after another (`target`), deferred (`nowait`) and replayed (`taskgraph`); host tasks created
and replayed, in serial code and in a team.  Times are the least of all passes but the first, which records: compare
them with each other, on a machine that does nothing else.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import smallest

# (clauses of the task, what it does) at each place of the loops
TASKS = {
    "potrf": ("map(A[k][k]) depend(inout: A[k][k])", "A[k][k] += 1;"),
    "trsm": ("map(A[k][k], A[k][i]) depend(in: A[k][k]) depend(inout: A[k][i])", "A[k][i] += A[k][k];"),
    "gemm": (
        "map(A[k][l], A[k][j], A[j][l]) depend(in: A[k][l], A[k][j]) depend(inout: A[j][l])",
        "A[j][l] += A[k][l] * A[k][j];",
    ),
    "syrk": ("map(A[k][l], A[l][l]) depend(in: A[k][l]) depend(inout: A[l][l])", "A[l][l] += A[k][l];"),
}
GRAPH = """static void {name}(void)
{{
#pragma omp {group}
    for (int k = 0; k < NB; k++) {{
{potrf}
        for (int i = k + 1; i < NB; i++) {{
{trsm}
        }}
        for (int l = k + 1; l < NB; l++) {{
            for (int j = k + 1; j < l; j++) {{
{gemm}
            }}
{syrk}
        }}
    }}
}}
"""
FORMS = [
    ("synchronous", "taskgroup", "target"), ("deferred", "taskgroup", "target nowait"),
    ("replayed", "taskgraph", "target nowait"),
    ("host_tasks", "taskgroup", "task"), ("host_replayed", "taskgraph", "task"),
]  # fmt: skip
MAIN = """
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
static void measure(const char *name, void (*run)(void))
{
    double first = 0, least = 1e9;
    for (int k = 0; k <= TIMES; k++) {
        double time = now();
        run();
        time = now() - time;
        if (k == 0) first = time;
        else if (time < least) least = time;
    }
    printf("  %-16s first %9.3f ms, then %9.3f ms\\n", name, first, least);
}
int main(void)
{
#pragma omp target data map(tofrom: A)
    {
        measure("target", synchronous);
        measure("target nowait", deferred);
        measure("taskgraph", replayed);
    }
    measure("task", host_tasks);
    measure("taskgraph", host_replayed);
#pragma omp parallel
#pragma omp single
    {
        measure("taskgraph, team", host_replayed);
        measure("task, team", host_tasks);
    }
    return 0;
}
"""


def program(blocks: int, times: int) -> str:
    """The C text."""
    made = [
        f"#include <stdio.h>\n#include <time.h>\nenum {{ NB = {blocks}, TIMES = {times} }};\nstatic float A[NB][NB];\n"
    ]
    for name, group, construct in FORMS:
        tasks = {
            task: f"#pragma omp {construct} {clauses if construct != 'task' else clauses.partition(') ')[2]}\n{body}"
            for task, (clauses, body) in TASKS.items()
        }
        made.append(GRAPH.format(name=name, group=group, **tasks))
    return "".join([*made, MAIN])


def main() -> int:
    arguments = smallest.parser(__doc__)
    arguments.add_argument("--device", default="host,cudasim")
    arguments.add_argument("--blocks", type=int, default=20)
    arguments.add_argument("--times", type=int, default=30)
    options = arguments.parse_args()
    if options.smallest:
        options.device, options.blocks, options.times = "host", 2, 1
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "graphs.c"
        source.write_text(program(options.blocks, options.times), encoding="utf-8")
        for device in options.device.split(","):
            print(device, flush=True)
            done = subprocess.run([sys.executable, "-m", "ompls", "run", "--device", device, source], check=False)
            if done.returncode != 0:
                return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
