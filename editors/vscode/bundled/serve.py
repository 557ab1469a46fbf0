"""Starts the server that the extension carries (`bundle.py`): `python3 serve.py serve`.

Any Python from 3.10 on will do; nothing is installed.  What the server starts itself has the same import path.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    version = "cp{}{}".format(*sys.version_info[:2])
    compiled = os.path.join(HERE, version)
    if not os.path.isdir(compiled):
        said = "ompls: error: {} is Python {}.{}; the extension carries libraries for {}; set ompls.server.path"
        known = ", ".join(sorted(name for name in os.listdir(HERE) if name.startswith("cp")))
        sys.stderr.write(said.format(sys.executable, *sys.version_info[:2], known) + "\n")
        return 2
    ours = [os.path.join(HERE, "lib"), compiled]
    before = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    os.environ["PYTHONPATH"] = os.pathsep.join([*ours, *before])
    sys.path[:1] = ours
    from ompls.__main__ import main as run  # noqa: PLC0415 - it is there now

    return run()


if __name__ == "__main__":
    sys.exit(main())
