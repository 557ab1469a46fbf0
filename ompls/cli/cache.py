"""`ompls cache`: what is kept of earlier builds and of headers; `clear` deletes it."""

from __future__ import annotations

import argparse
import math

from ompls.cli.problem import Problem
from ompls.cli.terminal import progress


def configure(parser: argparse.ArgumentParser) -> None:
    what = "show how much there is (default), or delete it"
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show", help=what)


def run(arguments: argparse.Namespace) -> int:
    from ompls.runtime.cache import Cache, cache_directory
    from ompls.traces.words import size

    cache = Cache(cache_directory())
    found = cache.sizes()
    what = f"{len(found)} file{'s' * (len(found) != 1)}, {size(sum(found))}"
    if arguments.action == "clear":
        with progress("waiting for builds that use the cache"), cache.held(alone=True):
            cache.drop(math.inf)
        if left := cache.sizes():
            why = f"{len(left)} of {len(found)} files are still there"
            raise Problem(f"cannot clear {cache.directory}: {why}; see whose it is, and whether it can be written", 1)
        print(f"{cache.directory}: {what} deleted")
    else:
        print(f"{cache.directory}: {what}")
    return 0
