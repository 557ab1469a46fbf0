"""`ompls cache`: what is kept of earlier builds and of headers; `clear` deletes it."""

from __future__ import annotations

import argparse
import math


def configure(parser: argparse.ArgumentParser) -> None:
    what = "show how much there is (default), or delete it"
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show", help=what)


def run(arguments: argparse.Namespace) -> int:
    from ompls.cli.trace import size
    from ompls.project.cache import DiskCache
    from ompls.runtime.cache import Cache, cache_directory

    directory = cache_directory()
    builds, headers = Cache(directory), DiskCache(directory)
    found = [*builds.sizes(), *headers.sizes()]
    what = f"{len(found)} file{'s' * (len(found) != 1)}, {size(sum(found))}"
    if arguments.action == "clear":
        builds.drop(math.inf)
        headers.clear()
        print(f"{directory}: {what} deleted")
    else:
        print(f"{directory}: {what}")
    return 0
