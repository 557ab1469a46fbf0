"""`python -m ompls`: the command line, for where the `ompls` script is not on PATH."""

import sys

from ompls.cli import main

if __name__ == "__main__":
    sys.exit(main())
