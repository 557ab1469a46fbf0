"""What `ompls serve` becomes: `[--stdio | --tcp PORT]`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from ompls.server import serve


def main() -> NoReturn:
    parser = argparse.ArgumentParser(prog="ompls serve", description="The language server.")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--stdio", action="store_true", help="speak on standard input and output (the default)")
    way.add_argument("--tcp", type=int, metavar="PORT", help="wait for one client on 127.0.0.1:PORT (0: any free port)")
    port = parser.parse_args().tcp
    if port is None and sys.stdin.isatty():
        text = "ompls serve: this is a language server: an editor starts it, and speaks to it here; Ctrl-C ends it"
        print(text, file=sys.stderr, flush=True)
    code = serve(port)
    sys.stderr.flush()
    os._exit(code)  # a thread may still wait for the compiler, which has a limit of its own; the editor does not wait


if __name__ == "__main__":
    main()
