"""A GPU that is not there: the device `cuda` over a fake driver and a fake compiler, both of which end in `cudasim`.

Its native module needs no more; `make test-cuda` builds pycuda for the other one, whose tests are skipped without it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ompls.devices.cudasim import module as cudasim

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PYCUDA = ROOT / ".cache" / "pycuda" / f"cp{sys.version_info.major}{sys.version_info.minor}"
DRIVER = ("libcuda.c", "modules.c")
FLAGS = ("-shared", "-fPIC", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-std=gnu17")


def why_not() -> str:
    """Why pycuda's tests cannot run, or nothing."""
    return "" if PYCUDA.exists() else "pycuda is not built: make test-cuda"


def _not_there(wanted: set[str]) -> str:
    """Functions that pycuda is linked with and that nothing here calls: each says that it is not supported."""
    text = "".join((HERE / name).read_text() for name in DRIVER)
    rest = sorted(name for name in wanted if f"API {name}(" not in text)
    return "".join(f'__attribute__((visibility("default"))) int {name}(void) {{ return 801; }}\n' for name in rest)


def build(directory: Path, *, old: bool = False) -> None:
    """The two libraries in a directory; without pycuda, the driver has what it defines itself.

    old -- a driver of CUDA 10.2, without the names that came later
    """
    library = map(str, PYCUDA.glob("pycuda/_driver*.so"))
    command = ["nm", "-D", "--undefined-only", *library] if PYCUDA.exists() else ["true"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    wanted = {word for word in listed.stdout.split() if word.startswith("cu") and word[2:3].isupper()}
    stubs = directory / "stubs.c"
    stubs.write_text(_not_there(wanted))
    calls = directory / "calls.o"
    subprocess.run(["gcc", *FLAGS, "-c", str(HERE / "calls.c"), "-o", str(calls)], check=True)
    sources = [*(HERE / name for name in DRIVER), calls, *cudasim.DEVICE.native_sources(), stubs]
    hidden = ("-finstrument-functions", "-fvisibility=hidden", "-Wl,-Bsymbolic", "-Wl,-soname,libcuda.so.1", "-pthread")
    hidden += ("-DOLD",) if old else ()
    subprocess.run(["gcc", *FLAGS, *hidden, *map(str, sources), "-o", str(directory / "libcuda.so.1")], check=True)
    compiler(directory / "libnvrtc.so")


def compiler(library: Path, generation: int = 1209) -> None:
    """The compiler of one CUDA: 1002 is 10.2."""
    names = (f'-DPYTHON="{sys.executable}"', f'-DCOMPILER="{HERE / "compile.py"}"', f"-DGENERATION={generation}")
    subprocess.run(["gcc", *FLAGS, *names, str(HERE / "libnvrtc.c"), "-o", str(library)], check=True)


def environment(directory: Path, cache: Path, module: str) -> dict[str, str]:
    """The environment of a machine with that GPU, whose programs get that module: `native` or `pycuda`."""
    path = os.pathsep.join(filter(None, (str(PYCUDA), os.environ.get("PYTHONPATH"))))
    return {
        **os.environ,
        "OMPLS_CUDA": module,
        "LD_LIBRARY_PATH": str(directory),
        "PYTHONPATH": path,
        "OMPLS_NVRTC": str(directory / "libnvrtc.so"),
        "OMPLS_CACHE_DIR": str(cache),
    }
