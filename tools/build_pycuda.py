"""Build pycuda where no GPU and no driver is: build_pycuda.py DIRECTORY.

pycuda comes as source only and wants to link with the driver; an empty library of the driver's name does.  Needed: g++,
pip's index, and CUDA's headers (a toolkit on PATH, in CUDA_HOME or in /usr/local/cuda).  Takes about 90 s.  What it
builds goes to DIRECTORY/cpXY for this Python, to be put on PYTHONPATH; what is there is kept.  Exit code 3: no toolkit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "2026.1"
NEEDS = ("numpy", "pytools", "platformdirs", "mako", "siphash24", "typing_extensions")
SITE_CONFIGURATION = """
USE_SHIPPED_BOOST = True
CUDA_ENABLE_GL = False
CUDA_ENABLE_CURAND = False
CUDA_ROOT = {toolkit!r}
CUDADRV_LIB_DIR = [{stub!r}]
"""


def toolkit() -> Path | None:
    """The CUDA toolkit's directory."""
    nvcc = shutil.which("nvcc")
    homes = [str(Path(nvcc).resolve().parent.parent)] if nvcc else []
    homes += [os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"]
    return next((Path(home) for home in homes if home and (Path(home) / "include/cuda.h").exists()), None)


def site(directory: Path) -> Path:
    """Where the packages for this Python are."""
    return directory / f"cp{sys.version_info.major}{sys.version_info.minor}"


def build(directory: Path, home: Path) -> None:
    """Download, configure, compile, install."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        stub = ["gcc", "-shared", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", str(work / "libcuda.so")]
        subprocess.run(stub, input=b"", check=True)
        download = ["download", "--no-deps", "--no-binary", "pycuda", f"pycuda=={VERSION}", "-d", made]
        subprocess.run([*pip, *download], check=True)
        with tarfile.open(next(work.glob("pycuda-*.tar.gz"))) as archive:
            archive.extractall(work, filter="data")
        source = work / f"pycuda-{VERSION}"
        (source / "siteconf.py").write_text(SITE_CONFIGURATION.format(toolkit=str(home), stub=made))
        target = directory / f"made-{os.getpid()}"
        # Else the linker leaves out a library that gives it no symbol.
        environment = {**os.environ, "LDFLAGS": "-Wl,--no-as-needed"}
        subprocess.run([*pip, "install", "--target", str(target), str(source), *NEEDS], check=True, env=environment)
        target.rename(site(directory))


def main() -> int:
    """0 when it is there, 3 when it cannot be."""
    directory = Path(sys.argv[1])
    if not site(directory).exists():
        home = toolkit()
        if home is None:
            print("build_pycuda: no CUDA toolkit: nvcc is not on PATH and CUDA_HOME is not set", file=sys.stderr)
            return 3
        directory.mkdir(parents=True, exist_ok=True)
        build(directory, home)
    print(site(directory))
    return 0


if __name__ == "__main__":
    sys.exit(main())
