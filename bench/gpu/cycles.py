"""Compare our kernels with hand-written ones in cycles, in the simulator GPGPU-Sim: no GPU is needed.

    GPGPUSIM=DIR CUDA_INSTALL_PATH=DIR python bench/gpu/cycles.py [--only NAME] [--config NAME] [--arch sm_75]

For each kernel of cycles_cases.py both sides' PTX runs with the same grid on the same numbers, and both results are
compared with numpy's.  README.md says how to get the simulator.
"""

from __future__ import annotations

import copy
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "bench")]

import smallest  # noqa: E402

try:
    import numpy as np
    from cycles_cases import CASES, Case
except ImportError as missing:
    smallest.lacks(f"{missing.name} is not installed (extra cuda)")

GOAL = 1.10
PTX_VERSION = "7.0"  # what the simulator's ptxas takes; the kernels need no newer one
_SCALARS = {"int": ctypes.c_int, "float": ctypes.c_float, "double": ctypes.c_double, "ompls_extent": ctypes.c_int}
# The simulator reads what an executable contains through this tool; ours contains nothing, the PTX lies beside it.
_CUOBJDUMP = '#!/bin/sh\n[ "$1" = -lptx ] && echo "PTX file 1: kernel.1.{}.ptx"\nexit 0\n'
# Beside the 5,000 cycles of a launch, which both sides have, small kernels would all look alike.
# The multiprocessors are few, so that small inputs fill them and the simulation takes seconds.
_CHANGED = (("gpgpu_kernel_launch_latency", 0), ("gpgpu_n_clusters", 8))


class Part(ctypes.Structure):
    """ompls_part of the device's library: all iterations of a dimension."""

    _fields_ = (("first", ctypes.c_uint), ("count", ctypes.c_uint))
    _align_ = 8


# --- one kernel in the simulator: a process of its own, in a directory of its own ---------------------------------


def simulate(case: Case, entry: str, parameters: list[list[str]], library: str) -> None:
    """Launch `entry` of the PTX in this directory, and say whether the results are right."""
    cuda = ctypes.CDLL(library)
    values = case.values(np.random.default_rng(1))
    wanted = case.wanted(copy.deepcopy(values))
    name = ctypes.create_string_buffer(entry.encode())
    cuda.__cudaRegisterFatBinary.restype = ctypes.c_void_p
    handle = ctypes.c_void_p(cuda.__cudaRegisterFatBinary(None))
    cuda.__cudaRegisterFunction(handle, name, name, name, -1, None, None, None, None)
    buffers, arguments = {}, []
    for of_type, parameter in parameters:
        value = values[parameter]
        if isinstance(value, np.ndarray):
            place = ctypes.c_void_p()
            cuda.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(value.nbytes))
            cuda.cudaMemcpy(place, value.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(value.nbytes), 1)
            buffers[parameter] = place
            arguments.append(place)
        else:
            arguments.append(Part(0, value) if of_type == "ompls_part" else _SCALARS[of_type](value))
    pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(a) for a in arguments])
    status = cuda.cuLaunchKernel(name, *case.grid, *case.block, 0, None, pointers, None)
    cuda.cudaDeviceSynchronize()
    right = status == 0
    for parameter in wanted.keys() & buffers.keys():
        result = np.empty_like(values[parameter])
        cuda.cudaMemcpy(result.ctypes.data_as(ctypes.c_void_p), buffers[parameter], ctypes.c_size_t(result.nbytes), 2)
        right &= bool(np.allclose(result, wanted[parameter], rtol=1e-4, atol=5e-4))
    print(f"\nright = {int(right)}", flush=True)
    os._exit(0)  # the simulator's threads are not waited for


# --- both sides ---------------------------------------------------------------------------------------------------


def signature(text: str, entry: str) -> list[list[str]]:
    """Type and name of each parameter of a kernel; the C program's names for those that ours has besides."""
    listed = re.search(rf"\b{entry}\(([^)]*)\)", text)
    assert listed
    found = []
    for parameter in listed[1].split(","):
        of_type, name = re.sub(r"\b(const|__restrict__|OMPLS_RESTRICT)\b|\*", " ", parameter).rsplit(None, 1)
        found.append([of_type.strip(), re.sub("^ompls_p_", "", name)])
    return found


def cycles(case: Case, text: str, entry: str, arch: str, config: Path) -> int:
    """Cycles of one launch.  Raises SystemExit when a result is wrong or the simulator fails."""
    from static import RESTRICT, nvrtc  # the simulated process needs neither

    made = nvrtc.compile(text, arch, kind="ptx", options=[RESTRICT])
    if not made.ok:
        raise SystemExit(f"{case.name}: {made.log}")
    ptx = re.sub(r"^\.version .*$", f".version {PTX_VERSION}", made.code.decode().rstrip("\0"), flags=re.M)
    ptx = re.sub(r"(shfl\S+\s+%\w+)\|%\w+", r"\1", ptx)  # the simulator mistakes the predicate, which nobody reads
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / f"kernel.1.{arch}.ptx").write_text(ptx)
        for file in config.iterdir():
            text_of = file.read_text()
            for option, value in _CHANGED:
                text_of = re.sub(rf"^-{option}\s.*$", f"-{option} {value}", text_of, flags=re.M)
            (folder / file.name).write_text(text_of)
        (folder / "bin").mkdir()
        toolkit = Path(os.environ["CUDA_INSTALL_PATH"])
        for tool in ("nvcc", "ptxas"):
            (folder / "bin" / tool).symlink_to(toolkit / "bin" / tool)
        (folder / "bin" / "cuobjdump").write_text(_CUOBJDUMP.format(arch))
        (folder / "bin" / "cuobjdump").chmod(0o755)
        simulator = os.environ["GPGPUSIM"]
        (library,) = list(Path(simulator, "lib").glob("*/*/release/libcudart.so"))
        places = {"CUDA_INSTALL_PATH": place, "PTXAS_CUDA_INSTALL_PATH": place, "GPGPUSIM_ROOT": simulator}
        places["CUOBJDUMP_SIM_FILE"] = "none"  # no more is read out of the executable
        job = json.dumps([case.name, entry, signature(text, entry), str(library)])
        command = [sys.executable, str(Path(__file__).resolve()), "--simulate", job]
        done = subprocess.run(command, cwd=place, env=os.environ | places, capture_output=True, text=True, check=False)
    found = re.search(r"^gpu_sim_cycle = (\d+)", done.stdout, re.M)
    if found is None or "right = 1" not in done.stdout:
        log = Path(tempfile.gettempdir(), f"{entry}.log")
        log.write_text(ptx + done.stdout + done.stderr)
        raise SystemExit(f"{case.name}: {entry} " + ("is wrong" if found else "did not run") + f"; see {log}")
    return int(found[1])


def rows(only: str, arch: str, config: Path) -> Iterator[tuple[str, int, int]]:
    """Each kernel's name and cycles, ours and by hand."""
    import static

    ours = static.regions("bench/gpu/omp/kernels.c")
    hand = (HERE / "cuda" / "kernels.cu").read_text()
    for case in CASES:
        if only and case.name not in only.split(","):
            continue
        text = ours[f"{case.name}_0"]
        entry = re.search(r"__global__ void (\w+)", text)
        assert entry
        yield case.name, cycles(case, text, entry[1], arch, config), cycles(case, hand, case.name, arch, config)


def main() -> int:
    if sys.argv[1:2] == ["--simulate"]:
        name, entry, parameters, library = json.loads(sys.argv[2])
        simulate(next(case for case in CASES if case.name == name), entry, parameters, library)
    parser = smallest.parser(__doc__)
    parser.add_argument("--only", default="", help="kernels, separated by commas")
    parser.add_argument("--config", default="SM75_RTX2060_S", help="the simulated GPU: a folder of configs/tested-cfgs")
    parser.add_argument("--arch", default="sm_75", help="the architecture whose PTX is made")
    options = parser.parse_args()
    if not {"GPGPUSIM", "CUDA_INSTALL_PATH"} <= os.environ.keys():
        smallest.lacks("GPGPUSIM and CUDA_INSTALL_PATH do not say where the simulator and its CUDA are")
    config = Path(os.environ["GPGPUSIM"], "configs", "tested-cfgs", options.config)
    print(f"{'kernel':<12}{'launch':>24}{'ours':>10}{'by hand':>10}{'ratio':>8}")
    launches: dict[str, Any] = {case.name: f"{case.grid} x {case.block}".replace(" ", "") for case in CASES}
    only = "histo" if options.smallest else options.only
    for name, ours, hand in rows(only, options.arch, config):
        missed = "*" if ours > hand * GOAL else ""
        print(f"{name:<12}{launches[name]:>24}{ours:>10}{hand:>10}{ours / hand:>8.2f}{missed}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
