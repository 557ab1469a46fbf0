"""How long translation takes beyond preprocessing, and `ompls cc` beside clang-19.

    python bench/translate_bench.py [--only translate|cc] [--regions N[,N]] [--profile]

translate -- a generated file of 20 lines a region (10 kinds of functions, each other numbers): analysis and translation
    for `cudasim` and for `host` in one process, processor time, the header snapshot read before.  Twice the regions
    should take twice the time, not more.
cc -- examples/saxpy.c compiled and linked for `cudasim`, in processor time and in wall time: with nothing in the cache
    but what is built once (the core, the simulator), with everything in it, and clang-19 with x86-64 offload in turn.

Goals: 100 regions (2,000 lines) within 500 ms for one device; `cc` within 2.5 times clang's wall time when the kernel
is not in the cache, and faster when it is.  Medians; on a busy machine only the processor times mean something.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import smallest

ROOT = Path(__file__).resolve().parents[1]
SAXPY = ROOT / "examples" / "saxpy.c"

_HEAD = """\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct grid { int rows, columns; double spacing; };
#pragma omp declare target
static const double weights[4] = {0.25, 0.5, 0.75, 1.0};
static double weighted(double value, int k) { return value * weights[k & 3]; }
#pragma omp end declare target
"""

# Each with 20 lines and one region; `{k}` numbers the function, `{m}` is a length.
_SHAPES = (
    """\
/* y becomes a x + y, where x is not negative. */
void scale_{k}(int n, float a, const float *x, float *y)
{{
    if (n < {m}) {{
        fprintf(stderr, "too short: %d\\n", n);
        return;
    }}
    #pragma omp target teams distribute parallel for \\
            map(to: x[0:n]) map(tofrom: y[0:n])
    for (int i = 0; i < n; i++) {{
        float value = a * x[i];
        // what is negative stays
        if (value >= 0.0f)
            y[i] += value;
        else
            y[i] -= {k}.0f;
    }}
    for (int i = 0; i < n && i < 2; i++)
        printf("%d: %f\\n", i, y[i]);
}}
""",
    """\
double norm_{k}(long n, const double *values, double *largest)
{{
    double total = 0.0, top = -1.0;
    if (n == 0)
        return 0.0;
    #pragma omp target teams distribute parallel for map(to: values[0:n]) \\
            reduction(+: total) reduction(max: top) map(tofrom: total, top)
    for (long i = 0; i < n; i++) {{
        double one = fabs(values[i]) / {m}.0;
        total += sqrt(one) + weighted(one, (int)i);
        if (one > top) {{
            top = one;
        }}
    }}
    if (largest != NULL) {{
        *largest = top;
    }}
    // the caller divides
    return total;
}}

""",
    """\
void stencil_{k}(struct grid g, double old[{m}][64], double new[{m}][64], int steps)
{{
    #pragma omp target data map(tofrom: old[0:{m}]) map(alloc: new[0:{m}])
    for (int step = 0; step < steps; step++) {{
        double (*from)[64] = step % 2 ? new : old;
        double (*to)[64] = step % 2 ? old : new;
        #pragma omp target teams distribute parallel for collapse(2) \\
                map(to: from[0:{m}]) map(from: to[0:{m}])
        for (int i = 0; i < {m}; i++)
            for (int j = 0; j < 64; j++) {{
                double sum = 0.0;
                int count = 0;
                for (int d = -1; d <= 1; d += 2) {{
                    if (i + d >= 0 && i + d < g.rows) {{ sum += from[i + d][j]; count++; }}
                    if (j + d >= 0 && j + d < g.columns) {{ sum += from[i][j + d]; count++; }}
                }}
                to[i][j] = count ? sum / count * g.spacing : from[i][j];
            }}
    }}
}}
""",
    """\
void count_{k}(unsigned n, const unsigned char *data, unsigned counts[{m}])
{{
    for (int i = 0; i < {m}; i++) {{
        counts[i] = 0;
    }}
    #pragma omp target teams distribute parallel for schedule(static, 4) \\
            map(to: data[:n]) map(tofrom: counts[:{m}])
    for (unsigned i = 0; i < n; i++) {{
        unsigned place = data[i] % {m};
        if (place > 2) {{
            #pragma omp atomic update
            counts[place]++;
        }} else {{
            #pragma omp atomic
            counts[0] += 2;
        }}
    }}
    printf("%u of %u in the first\\n",
           counts[0], n);
}}
""",
    """\
int phases_{k}(int n, int *a, int *b)
{{
    int changed = 0;
    #pragma omp target map(tofrom: a[0:n], b[0:n], changed)
    {{
        int limit = n / 2 + {k};
        #pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] = a[i] > limit ? limit : a[i];
        for (int i = 1; i < 4 && i < n; i++)
            b[i] += b[i - 1];
        #pragma omp parallel for reduction(+: changed)
        for (int i = 0; i < n; i++)
            if (a[i] == limit) {{
                b[i] = limit;
                changed++;
            }}
    }}
    return changed;
}}
""",
    """\
void multiply_{k}(int n, const double *a, const double *b, double *c)
{{
    // rows for the teams, columns for their threads
    #pragma omp target teams map(to: a[0:n*n], b[0:n*n]) map(from: c[0:n*n]) num_teams({m})
    {{
        #pragma omp distribute
        for (int i = 0; i < n; i++) {{
            #pragma omp parallel for
            for (int j = 0; j < n; j++) {{
                double sum = 0.0;
                for (int k = 0; k < n; k++)
                    sum += a[i * n + k] * b[k * n + j];
                c[i * n + j] = sum;
            }}
        }}
    }}
    if (n > 0)
        printf("%g\\n", c[0]);
}}


""",
    """\
static int parts_{k}(int *first, int *second, int *third)
{{
    int done[3] = {{0, 0, 0}};
    #pragma omp target map(from: first[0:{m}], second[0:{m}], third[0:{m}]) map(tofrom: done)
    #pragma omp parallel sections
    {{
        #pragma omp section
        for (int i = 0; i < {m}; i++)
            first[i] = i;
        #pragma omp section
        for (int i = 0; i < {m}; i++)
            second[i] = i * {k};
        #pragma omp section
        {{
            third[0] = {m};
            done[2] = 1;
        }}
    }}
    return done[0] + done[1] + done[2];
}}
""",
    """\
typedef struct {{ double x, y, z, mass; }} body_{k};
double energy_{k}(int n, body_{k} *bodies)
{{
    double energy = 0.0;
    #pragma omp target teams distribute parallel for map(to: bodies[0:n]) \\
            map(tofrom: energy) reduction(+: energy) thread_limit(128)
    for (int i = 0; i < n; i++) {{
        const body_{k} *me = &bodies[i];
        for (int j = i + 1; j < n; j++) {{
            double dx = me->x - bodies[j].x;
            double dy = me->y - bodies[j].y;
            double dz = me->z - bodies[j].z;
            double distance = sqrt(dx * dx + dy * dy + dz * dz + 1e-{m});
            energy -= me->mass * bodies[j].mass / distance;
        }}
    }}
    body_{k} *unused = bodies;
    (void)unused;
    return energy;
}}
""",
    """\
int search_{k}(int n, const int *keys, int wanted)
{{
    int found = -1, visits = 0;
    #pragma omp target enter data map(to: keys[0:n])
    #pragma omp target parallel map(tofrom: found, visits) map(to: keys[0:n])
    {{
        #pragma omp for schedule(dynamic, 8)
        for (int i = 0; i < n; i++) {{
            if (keys[i] == wanted + {k}) {{
                #pragma omp critical
                if (found < 0 || i < found)
                    found = i;
            }}
        }}
        #pragma omp single
        visits += n;
    }}
    #pragma omp target exit data map(delete: keys[0:n])
    return found + (visits < {m});
}}
""",
    """\
#define AT_{k}(i, j) ((i) * width + (j))
void blur_{k}(int width, int height, const unsigned char *from, unsigned char *to)
{{
    int size = width * height;
    #pragma omp target teams loop collapse(2) map(to: from[0:size]) \\
            map(tofrom: to[0:size])
    for (int i = 1; i < height - 1; i++) {{
        for (int j = 1; j < width - 1; j++) {{
            int sum = 0;
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++) {{
                    int w = di == 0 && dj == 0 ? 4 : 1;
                    sum += w * from[AT_{k}(i + di, j + dj)];
                }}
            to[AT_{k}(i, j)] = (unsigned char)(sum / 12 > {m} ? 255 : sum / 12);
        }}
    }}
    #undef AT_{k}
}}
""",
)


def source(regions: int) -> str:
    """A valid C file with that many target regions, 20 lines each."""
    return _HEAD + "".join(_SHAPES[k % len(_SHAPES)].format(k=k, m=8 + k % 56) for k in range(regions))


def processor(action: Callable[[], object]) -> float:
    """Milliseconds of processor time, with those of the children."""
    before = os.times()
    action()
    after = os.times()
    return 1000 * sum(after[i] - before[i] for i in range(4))


def translation(regions: int, profile: bool, turns: int) -> None:
    from ompls.analysis.model.builder import Analyzer
    from ompls.analysis.model.tu import TU
    from ompls.analysis.source import Settings
    from ompls.project.devices import registry
    from ompls.project.targets import targets
    from ompls.project.workspace import Workspace
    from ompls.translate import translate

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "big.c")
        text = source(regions).encode()
        Path(path).write_bytes(text)
        workspace = Workspace([folder])
        snapshot = workspace.snapshot(path, text, workspace.flags(path))

    def analyse() -> None:
        units.append(Analyzer().analyze("big.c", text, snapshot, Settings()))

    def once(device: str) -> float:
        bundles = []
        chosen = [registry().devices[device]]
        taken = processor(lambda: bundles.append(translate([units[-1]], chosen, targets(chosen))))
        if bundles[0].diagnostics:
            raise SystemExit(f"bench: {bundles[0].diagnostics[0].message}")
        return taken

    units: list[TU] = []
    analyse()
    once("cudasim")  # imports
    figures: dict[str, list[float]] = {"analysis": [], "cudasim": [], "host": []}
    for _ in range(turns):
        figures["analysis"].append(processor(analyse))
        for device in ("cudasim", "host"):
            figures[device].append(once(device))
    best = {name: statistics.median(times) for name, times in figures.items()}
    lines = text.count(b"\n")
    whole = best["analysis"] + best["cudasim"]
    print(f"{regions} regions, {lines} lines: analysis {best['analysis']:.0f} ms, translation for cudasim "
          f"{best['cudasim']:.0f} ms, for host {best['host']:.0f} ms; analysis and cudasim {whole:.0f} ms, "
          f"{whole / regions:.2f} ms a region")  # fmt: skip
    if profile:
        profiler = cProfile.Profile()
        analyse()
        profiler.runcall(once, "cudasim")
        pstats.Stats(profiler).sort_stats("tottime").print_stats(40)


def _timed(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Wall and processor milliseconds."""
    start, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return 1000 * (time.perf_counter() - start), 1000 * cpu


def drop_in(turns: int) -> None:
    clang = shutil.which("clang-19")
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "OMPLS_CACHE_DIR": os.path.join(folder, "cache")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installation has its Python files compiled
        file, program = os.path.join(folder, "saxpy.c"), os.path.join(folder, "program")
        ours = [sys.executable, "-m", "ompls", "cc", "-O2", "-fopenmp", "-fopenmp-targets=cudasim", file, "-o", program]
        theirs = [clang or "", *ours[4:6], "-fopenmp-targets=x86_64-pc-linux-gnu", *ours[7:]]
        figures: dict[str, list[tuple[float, float]]] = {"kernel not cached": [], "all cached": [], "clang-19": []}
        text = SAXPY.read_text()
        Path(file).write_text(text)
        wall, cpu = _timed(ours, environment)
        print(f"cc, the very first: {wall:.0f} ms, processor {cpu:.0f} ms")
        for k in range(turns):
            Path(file).write_text(text.replace("y[i] = ", f"y[i] = {k} + "))
            figures["kernel not cached"].append(_timed(ours, environment))
            figures["all cached"].append(_timed(ours, environment))
            if clang:
                figures["clang-19"].append(_timed(theirs, environment))
    for name, times in figures.items():
        if times:
            wall, cpu = (statistics.median(column) for column in zip(*times, strict=True))
            print(f"cc, {name}: {wall:.0f} ms, processor {cpu:.0f} ms")


def main() -> int:
    parser = smallest.parser(__doc__)
    parser.add_argument("--only", choices=("translate", "cc"), default="", help="one part")
    parser.add_argument("--regions", default="50,100,200", help="sizes of the generated file")
    parser.add_argument("--profile", action="store_true", help="where the time of a translation goes")
    options = parser.parse_args()
    if options.smallest:
        options.regions = "10"
    if options.only != "cc":
        for size in options.regions.split(","):
            translation(int(size), options.profile or options.smallest, 1 if options.smallest else 5)
    if options.only != "translate":
        drop_in(1 if options.smallest else 7)
    return 0


if __name__ == "__main__":
    sys.exit(main())
