"""Which region of which OpenMP program static.py compares with which hand-written kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Pair:
    """One comparison.

    source, region -- a C file of this checkout and the region's name in the manifest: FUNCTION_NUMBER
    file, kernel   -- a CUDA file and a kernel in it; by hand: in cuda/, of a suite: below its directory
    fixed          -- parameters of the kernel that are constants here: the file serves several programs
    before         -- what the text of a suite's kernel needs before it
    """

    name: str
    source: str
    region: str
    file: str
    kernel: str
    fixed: Mapping[str, str] = field(default_factory=dict)
    before: str = ""


def _program(name: str, region: int, file: str, kernel: str, **fixed: str) -> Pair:
    label = name if name == kernel else f"{name} {kernel}"
    return Pair(label, f"bench/gpu/omp/{name}.c", f"main_{region}", f"{file}.cu", kernel, fixed)


PROGRAMS = (
    _program("conv3d", 0, "conv3d", "conv3d"),
    _program("bicg", 0, "matvec", "columns", add="0"),
    _program("bicg", 1, "matvec", "rows", add="0"),
    _program("atax", 0, "matvec", "rows", add="0"),
    _program("atax", 1, "matvec", "columns", add="0"),
    _program("mvt", 0, "matvec", "rows", add="1"),
    _program("mvt", 1, "matvec", "columns", add="1"),
    _program("gemm", 0, "gemm", "gemm"),
    _program("gramschmidt", 0, "gramschmidt", "column_norm"),
    _program("gramschmidt", 1, "gramschmidt", "column_scale"),
    _program("gramschmidt", 2, "gramschmidt", "project"),
)


def _example(name: str, region: str, kernel: str, **fixed: str) -> Pair:
    label = f"examples/{name}" + ("" if kernel in {name, "evaluate"} else f" {kernel}")
    return Pair(label, f"examples/{name}.c", region, "shapes.cu", kernel, fixed)


EXAMPLES = (
    _example("declare_target", "evaluate_0", "evaluate"),
    _example("dot_devices", "main_0", "dot_devices", first="0"),
    _example("histogram", "main_0", "histogram"),
    _example("jacobi", "solve_on_device_0", "jacobi"),
    _example("master_worker", "main_0", "master_worker"),
    _example("matmul", "multiply_0", "matmul"),
    _example("pipeline", "main_0", "pipeline"),
    _example("saxpy", "saxpy_0", "saxpy"),
    _example("vector_add", "main_0", "sum"),
    _example("vector_add", "main_1", "doubled"),
)

_SHAPES = {
    "map": "map_0",
    "transpose": "transpose_0",
    "dot": "dot_0",
    "count": "count_0",
    "triangle": "triangle_0",
    "lower": "lower_0",
    "laplace": "laplace_0",
    "move": "move_0",
    "daxpy": "daxpy_0",
    "halo": "halo_0",
    "largest": "largest_0",
    "prefix": "prefix_0",
    "lu_column": "lu_0",
    "lu_rest": "lu_1",
    "scale_rows": "scale_rows_0",
    "columns": "columns_0",
}
SHAPES = tuple(
    Pair(f"shapes {kernel}", "bench/gpu/omp/shapes.c", region, "shapes.cu", kernel)
    for kernel, region in _SHAPES.items()
)

_KERNELS = (
    "heat5 stencil7 spmv histo dotf small_gemm nbody scan syrk_lower conv5 black mandel rowmax tri step".split()  # noqa: SIM905
)
KERNELS = tuple(
    Pair(f"kernels {kernel}", "bench/gpu/omp/kernels.c", f"{kernel}_0", "kernels.cu", kernel) for kernel in _KERNELS
)

OURS = (*PROGRAMS, *EXAMPLES, *SHAPES, *KERNELS)


# --- kernels of public suites, read from a checkout (--suite DIR) -------------------------------------------------

_FLOAT = "#define DATA_TYPE float\n"


def _sizes(**parameters: str) -> str:
    """PolyBench-ACC writes sizes as macros; here they stand for the parameters beside them, as in our programs."""
    lines = [f"#define {name} {value}\n#define _PB_{name} {value}\n" for name, value in parameters.items()]
    return _FLOAT + "".join(lines)


def _polybench(program: str, region: int, place: str, kernel: str, sizes: str) -> Pair:
    file = f"CUDA/linear-algebra/{place}/{place.rpartition('/')[2]}.cu"
    source, name = f"bench/gpu/omp/{program}.c", f"main_{region}"
    return Pair(f"PolyBench-ACC {kernel}", source, name, file, kernel, before=sizes)


def _hecbench(region: str, file: str, kernel: str, before: str = "") -> Pair:
    return Pair(f"HeCBench {kernel}", "bench/gpu/omp/suites.c", region, f"src/{file}.cu", kernel, before=before)


_NXY, _NIJ, _N = _sizes(NX="nx", NY="ny"), _sizes(NI="ni", NJ="nj", NK="nk"), _sizes(N="n")
SUITES = (
    _polybench("atax", 0, "kernels/atax", "atax_kernel1", _NXY),
    _polybench("atax", 1, "kernels/atax", "atax_kernel2", _NXY),
    _polybench("bicg", 0, "kernels/bicg", "bicg_kernel1", _NXY),
    _polybench("bicg", 1, "kernels/bicg", "bicg_kernel2", _NXY),
    _polybench("mvt", 0, "kernels/mvt", "mvt_kernel1", _N),
    _polybench("mvt", 1, "kernels/mvt", "mvt_kernel2", _N),
    _polybench("gemm", 0, "kernels/gemm", "gemm_kernel", _NIJ),
    _polybench("gramschmidt", 0, "solvers/gramschmidt", "gramschmidt_kernel1", _NIJ),
    _polybench("gramschmidt", 1, "solvers/gramschmidt", "gramschmidt_kernel2", _NIJ),
    _polybench("gramschmidt", 2, "solvers/gramschmidt", "gramschmidt_kernel3", _NIJ),
    replace(_polybench("shapes", 0, "solvers/lu", "lu_kernel2", _N), region="lu_1"),
    _hecbench("distances_0", "nn-cuda/nearestNeighbor", "nn", "struct LatLong { float lat, lng; };\n"),
    _hecbench(
        "magnitudes_0", "mriQ-cuda/computeQ", "ComputePhiMag_GPU", "#define KERNEL_PHI_MAG_THREADS_PER_BLOCK 256\n"
    ),
    _hecbench("forces_0", "haccmk-cuda/haccmk", "haccmk_kernel"),
    _hecbench("swap_features_0", "kmeans-cuda/cluster", "feature_transpose"),
    _hecbench("membership_0", "kmeans-cuda/cluster", "find_membership", "#define FLT_MAX 3.402823466e+38f\n"),
)
