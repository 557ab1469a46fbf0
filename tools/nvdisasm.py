"""Print where a disassembler is that knows sm_53 to sm_90: nvdisasm.py DIRECTORY.

Looked for: OMPLS_NVDISASM, DIRECTORY, PATH and CUDA's toolkit; those of CUDA 13 know no GPU before sm_75.  A wheel of
triton 3.3.1 in DIRECTORY is opened for its nvdisasm.  Exit code 2: there is none, and how to get it is said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from ompls.devices.cuda.module import nvrtc

MEMBER = "triton/backends/nvidia/bin/nvdisasm"
HINT = """no nvdisasm that knows sm_53.  Get one of CUDA 12 (155 MB) with
    .venv/bin/pip download --no-deps --dest {0} triton==3.3.1
or set OMPLS_NVDISASM to the nvdisasm of a CUDA toolkit before 13"""


def candidates(directory: Path) -> Iterator[Path]:
    if os.environ.get("OMPLS_NVDISASM"):
        yield Path(os.environ["OMPLS_NVDISASM"])
        return
    kept = directory / "nvdisasm"
    for wheel in () if kept.exists() else directory.glob("triton-*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            kept.write_bytes(archive.read(MEMBER))
        kept.chmod(0o755)
    yield kept
    found = shutil.which("nvdisasm")
    if found:
        yield Path(found)
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if home:
            yield Path(home, "bin/nvdisasm")


def knows(path: Path, code: Path) -> bool:
    """Whether the program at `path` reads machine code for sm_53."""
    if not os.access(path, os.X_OK):
        return False
    done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0 and "EXIT" in done.stdout


def main() -> int:
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    if nvrtc.available() is None:
        print("no nvrtc; type 'make setup'", file=sys.stderr)
        return 2
    empty = directory / "empty.cubin"
    empty.write_bytes(nvrtc.compile('extern "C" __global__ void k() {}', "sm_53").code)
    found = next((path for path in candidates(directory) if knows(path, empty)), None)
    print(found.resolve() if found else HINT.format(directory), file=sys.stdout if found else sys.stderr)
    return 0 if found else 2


if __name__ == "__main__":
    sys.exit(main())
