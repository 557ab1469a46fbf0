"""The command line, as the script `ompls` and as `python -m ompls`."""

import signal
import sys

# ^C while modules are being imported ends us as it ends every program, without a traceback.
HANDLER = signal.getsignal(signal.SIGINT)
if HANDLER is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from ompls.cli import main as run  # noqa: E402 -- that takes time
from ompls.runtime.awake import awake  # noqa: E402 -- as above


def main() -> int:
    """The exit code; a KeyboardInterrupt is handled by then."""
    signal.signal(signal.SIGINT, HANDLER)
    try:
        with awake():
            return run()
    finally:
        if HANDLER is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # what is left is the end of the interpreter


def cc() -> int:
    """`ompls cc` as one word, the script `ompls-cc`: CMake and others take no more for a compiler."""
    sys.argv[1:1] = ["cc"]
    return main()


if __name__ == "__main__":
    sys.exit(main())
