"""What cycles.py runs: each kernel of omp/kernels.c on small inputs, with its launch and what it must compute.

`values` are by the names of the C program's parameters, and what ours have besides: `ompls_part_x` is the number of
iterations along x, `ompls_d_a_0` an array's extent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Values = dict[str, Any]
Three = tuple[int, int, int]


@dataclass(frozen=True)
class Case:
    """One kernel and its launch."""

    name: str
    grid: Three
    block: Three
    values: Callable[[Any], Values]
    wanted: Callable[[Values], Values]  # the arrays that it writes, from the values before


def _line(n: int, block: int = 128) -> tuple[Three, Three]:
    return (math.ceil(n / block), 1, 1), (block, 1, 1)


def _plane(x: int, y: int, z: int = 1, block: Three = (32, 4, 1)) -> tuple[Three, Three]:
    a, b, c = (math.ceil(n / of) for n, of in zip((x, y, z), block, strict=True))
    return (a, b, c), block


def _floats(rng: Any, *shape: int) -> Any:
    return rng.random(shape, dtype="f4")


def _sides(*sizes: int) -> Values:
    return {f"ompls_part_{axis}": size for axis, size in zip("xyz", sizes, strict=False)}


# --- heat5, stencil7 ------------------------------------------------------------------------------------------------
_H = (130, 258)
_B = (18, 34, 66)


def _heat5(rng: Any) -> Values:
    n, m = _H
    return {"n": n, "m": m, "c": 0.1, "a": _floats(rng, n, m), "b": _floats(rng, n, m), **_sides(m - 2, n - 2)}


def _heat5_wanted(v: Values) -> Values:
    a, b = v["a"], v["b"]
    b[1:-1, 1:-1] = a[1:-1, 1:-1] + v["c"] * (
        a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]
    )
    return {"b": b}


def _stencil7(rng: Any) -> Values:
    z, y, x = _B
    sizes = {"nx": x, "ny": y, "nz": z, "ompls_d_a_0": y, "ompls_d_a_1": x, "ompls_d_b_0": y, "ompls_d_b_1": x}
    arrays = {"a": rng.random(_B), "b": rng.random(_B)}
    return {**sizes, "c0": 0.5, "c1": 0.25, **arrays, **_sides(x - 2, y - 2, z - 2)}


def _stencil7_wanted(v: Values) -> Values:
    a, b, i = v["a"], v["b"], slice(1, -1)
    around = a[:-2, i, i] + a[2:, i, i] + a[i, :-2, i] + a[i, 2:, i] + a[i, i, :-2] + a[i, i, 2:]
    b[i, i, i] = v["c0"] * a[i, i, i] + v["c1"] * around
    return {"b": b}


# --- spmv, histo, dotf, small_gemm ----------------------------------------------------------------------------------
def _spmv(rng: Any) -> Values:
    n = 2048
    row = np.concatenate([[0], np.cumsum(rng.integers(4, 12, n))]).astype("i4")
    col, val = rng.integers(0, n, row[-1]).astype("i4"), rng.random(row[-1])
    return {"n": n, "row": row, "col": col, "val": val, "x": rng.random(n), "y": np.zeros(n), **_sides(n)}


def _spmv_wanted(v: Values) -> Values:
    products = v["val"] * v["x"][v["col"]]
    return {"y": np.add.reduceat(products, v["row"][:-1])}


def _histo(rng: Any) -> Values:
    n = 16384
    return {"n": n, "d": rng.integers(0, 256, n).astype("u1"), "h": np.zeros(256, "u4"), **_sides(n)}


def _dotf(rng: Any) -> Values:
    n = _DOT
    total = np.zeros(1, "f4")
    return {"n": n, "x": _floats(rng, n), "y": _floats(rng, n), "s": total, "out": total}


def _dotf_wanted(v: Values) -> Values:
    total = np.dot(v["x"].astype("f8"), v["y"])
    return {"s": total, "out": total}  # ours, by hand


def _small_gemm(rng: Any) -> Values:
    n = 2048
    arrays = {name: _floats(rng, n, 4, 4) for name in "abc"}
    return {"batch": n, **arrays, **_sides(n)}


# --- nbody, scan, syrk_lower, conv5 ---------------------------------------------------------------------------------
def _nbody(rng: Any) -> Values:
    n = 256
    return {"n": n, "p": _floats(rng, n, 4), **{name: np.zeros(n, "f4") for name in ("ax", "ay", "az")}, **_sides(n)}


def _nbody_wanted(v: Values) -> Values:
    p = v["p"].astype("f8")
    d = p[None, :, :3] - p[:, None, :3]
    w = 1 / np.sqrt((d**2).sum(2) + 1e-6)
    force = (d * (p[None, :, 3] * w**3)[:, :, None]).sum(1)
    return {"ax": force[:, 0], "ay": force[:, 1], "az": force[:, 2]}


def _scan(rng: Any) -> Values:
    return {"n": 2048, "a": _floats(rng, 2048), "b": np.zeros(2048, "f4")}


def _syrk(rng: Any) -> Values:
    n, m = 96, 32
    return {"n": n, "m": m, "a": _floats(rng, n, m), "c": _floats(rng, n, n)}


def _conv5(rng: Any) -> Values:
    h, w = 64, 128
    arrays = {"in": _floats(rng, h, w), "k": _floats(rng, 5, 5), "out": np.zeros((h, w), "f4")}
    return {"h": h, "w": w, **arrays, **_sides(w, h)}


def _conv5_wanted(v: Values) -> Values:
    h, w = v["h"], v["w"]
    around = np.pad(v["in"], 2, mode="edge")
    return {"out": sum(around[y : y + h, x : x + w] * v["k"][y, x] for y in range(5) for x in range(5))}


# --- black, mandel, rowmax, tri, step -------------------------------------------------------------------------------
def _black(rng: Any) -> Values:
    n = 4096
    given = {"s": 5 + 25 * _floats(rng, n), "x": 1 + 99 * _floats(rng, n), "t": 0.25 + 9 * _floats(rng, n)}
    return {"n": n, **given, "r": 0.02, "v": 0.3, "call": np.zeros(n, "f4"), "put": np.zeros(n, "f4"), **_sides(n)}


def _black_wanted(v: Values) -> Values:
    s, x, t = (v[name].astype("f8") for name in "sxt")
    q = np.sqrt(t)
    d1 = (np.log(s / x) + (v["r"] + 0.5 * v["v"] ** 2) * t) / (v["v"] * q)
    n1, n2 = ([0.5 * (1 + math.erf(d / math.sqrt(2))) for d in of] for of in (d1, d1 - v["v"] * q))
    e = x * np.exp(-v["r"] * t)
    call = s * np.array(n1) - e * np.array(n2)
    return {"call": call, "put": call - s + e}


def _mandel(_: Any) -> Values:
    h, w = 64, 128
    return {"h": h, "w": w, "most": 40, "out": np.zeros(h * w, "i4"), **_sides(h * w)}


def _mandel_wanted(v: Values) -> Values:
    h, w, one = v["h"], v["w"], np.float32
    p = np.arange(h * w).astype("i4")
    cx = one(-2) + one(3) * (p % w).astype("f4") / one(w)
    cy = one(-1) + one(2) * (p // w).astype("f4") / one(h)
    x, y, k = np.zeros_like(cx), np.zeros_like(cx), np.zeros_like(p)
    for _ in range(v["most"]):
        x, y, k = (
            np.where(inside := x * x + y * y < 4, x * x - y * y + cx, x),
            np.where(inside, 2 * x * y + cy, y),
            k + inside,
        )
    return {"out": k}


def _rowmax(rng: Any) -> Values:
    n, m = _ROWS
    return {"n": n, "m": m, "a": _floats(rng, n, m), "best": np.zeros(n, "f4"), "where": np.zeros(n, "i4")}


def _tri(rng: Any) -> Values:
    return {"n": 160, "a": _floats(rng, 160, 160), **_sides(160, 160)}


def _step(rng: Any) -> Values:
    return {"n": 1024, "steps": 10, "x": rng.random(1024), "w": rng.random(1024), "dt": 0.5}


def _step_wanted(v: Values) -> Values:
    x = v["x"] + sum(v["dt"] / (1 + s) for s in range(v["steps"])) * v["w"]
    x[0] = x[:4].sum()
    return {"x": x}


_DOT = 30720
_ROWS = (60, 512)
CASES = (
    Case("heat5", *_plane(256, 128), _heat5, _heat5_wanted),
    Case("stencil7", *_plane(64, 32, 16), _stencil7, _stencil7_wanted),
    Case("spmv", *_line(2048), _spmv, _spmv_wanted),
    Case("histo", *_line(16384), _histo, lambda v: {"h": np.bincount(v["d"], minlength=256)}),
    Case("dotf", (60, 1, 1), (128, 1, 1), _dotf, _dotf_wanted),
    Case("small_gemm", *_line(2048), _small_gemm, lambda v: {"c": v["a"] @ v["b"]}),
    Case("nbody", *_line(256), _nbody, _nbody_wanted),
    Case("scan", (1, 1, 1), (128, 1, 1), _scan, lambda v: {"a": np.cumsum(v["a"], dtype="f8")}),
    Case("syrk_lower", (96, 1, 1), (128, 1, 1), _syrk, lambda v: {"c": v["c"] + np.tril(v["a"] @ v["a"].T)}),
    Case("conv5", *_plane(128, 64), _conv5, _conv5_wanted),
    Case("black", *_line(4096), _black, _black_wanted),
    Case("mandel", *_line(64 * 128), _mandel, _mandel_wanted),
    Case(
        "rowmax",
        (60, 1, 1),
        (128, 1, 1),
        _rowmax,
        lambda v: {"best": v["a"].max(1), "where": np.arange(v["n"])},
    ),
    Case("tri", *_plane(160, 160), _tri, lambda v: {"a": np.tril(v["a"]) + np.tril(v["a"], -1).T}),
    Case("step", (1, 1, 1), (128, 1, 1), _step, _step_wanted),
)
