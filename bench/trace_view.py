"""How long the first view of a long trace takes: `ompls report` and its page, of a million events.

    python bench/trace_view.py [EVENTS] [--keep FILE]

Wanted: at most 3 s each.  A program on the device `host` writes the trace; its time without and with one is shown, too.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import smallest

MOST = 3.0  # seconds
OF_A_TURN = 16  # events
PROGRAM = """#include <stdlib.h>
int main(int argc, char **argv) {
  int n = 64, times = atoi(argv[argc - 1]);
  double x[64] = {0}, y[64] = {0};
  for (int k = 0; k < times; k++) {
    #pragma omp target data map(to: x[0:n])
    {
      #pragma omp target map(tofrom: y[0:n])
      y[0] += x[1];
    }
  }
  return y[0] != 0;
}
"""


def taken(*command: object) -> float:
    """Seconds of a command of ours; its output is not shown."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "ompls", *map(str, command)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main() -> int:
    parser = smallest.parser(__doc__)
    parser.add_argument("events", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--keep", metavar="FILE", help="keep the trace")
    arguments = parser.parse_args()
    if arguments.smallest:
        arguments.events = 100
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        source, trace, page = directory / "many.c", Path(arguments.keep or directory / "trace"), directory / "page.html"
        source.write_text(PROGRAM)
        turns = max(1, arguments.events // OF_A_TURN)
        plain = taken("run", "--device", "host", source, "--", turns)
        recorded = taken("run", "--device", "host", "--trace", trace, source, "--", turns)
        size = trace.stat().st_size
        print(f"the program {plain:.2f} s, with a trace {recorded:.2f} s: {size / 1e6:.0f} MB")
        part = ("--between", "100ms", "110ms")
        views = {
            "report": taken("report", trace),
            "report --html": taken("report", trace, "--html", page),
            "a part": taken("report", trace, *part),
        }
        for name, seconds in views.items():
            print(f"{name:14} {seconds:6.2f} s")
        print(f"{'page':14} {page.stat().st_size / 1e3:6.0f} kB")
        return int(max(views.values()) > MOST and not arguments.smallest)


if __name__ == "__main__":
    sys.exit(main())
