"""The programs of the Jetson paper's Polybench set: their inputs, their launches by hand, what they must compute.

`arrays` are the sizes of the inputs in the order of the input file; `by_hand` runs the hand-written kernels on a `Gpu`
of hand.py and leaves the results in the buffers named by `results`; `reference` computes the same with numpy in double
precision.  n is the edge of every matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arrays = dict[str, Any]
BLOCK = 256
TILE = (32, 8)


@dataclass(frozen=True)
class Program:
    """One benchmark."""

    name: str
    source: str  # in cuda/
    arrays: Callable[[int], dict[str, int]]  # the inputs
    results: Callable[[int], dict[str, int]]  # what both write, in order; an input of that name is updated
    by_hand: Callable[[Any, int], None]
    reference: Callable[[Arrays, int], Arrays]
    sizes: tuple[int, ...]  # on a GPU: the paper's two largest, and one beyond for large GPUs
    small: int  # elsewhere


def _line(n: int) -> tuple[tuple[int, int], tuple[int, int, int]]:
    return (((n + BLOCK - 1) // BLOCK), 1), (BLOCK, 1, 1)


def _plane(n: int) -> tuple[tuple[int, int], tuple[int, int, int]]:
    return ((n + TILE[0] - 1) // TILE[0], (n + TILE[1] - 1) // TILE[1]), (*TILE, 1)


def _conv3d_hand(gpu: Any, n: int) -> None:
    gpu.launch("conv3d", *_plane(n - 2), "a", "b", n)


def _conv3d(given: Arrays, n: int) -> Arrays:
    a, b = given["a"].reshape(n, n, n).astype("f8"), np.zeros((n, n, n))

    def at(i: int, j: int, k: int) -> Any:
        return a[1 + i : n - 1 + i, 1 + j : n - 1 + j, 1 + k : n - 1 + k]

    terms = [
        (2, (-1, -1, -1)),
        (4, (1, -1, -1)),
        (5, (-1, -1, 1)),
        (7, (1, -1, 1)),
        (-8, (-1, 1, -1)),
        (10, (1, 1, -1)),
    ]
    terms += [(-3, (0, -1, 0)), (6, (0, 0, 0)), (-9, (0, 1, 0)), (2, (-1, 0, 1)), (4, (1, 0, 1))]
    b[1:-1, 1:-1, 1:-1] = sum(factor * at(*place) for factor, place in terms)
    return {"b": b}


def _atax_hand(gpu: Any, n: int) -> None:
    gpu.scratch("t", n)
    gpu.launch("rows", *_line(n), "a", "x", "t", n, 0)
    gpu.launch("columns", *_line(n), "a", "t", "y", n, 0)


def _atax(given: Arrays, n: int) -> Arrays:
    a = given["a"].reshape(n, n).astype("f8")
    return {"y": a.T @ (a @ given["x"])}


def _bicg_hand(gpu: Any, n: int) -> None:
    gpu.launch("columns", *_line(n), "a", "r", "s", n, 0)
    gpu.launch("rows", *_line(n), "a", "p", "q", n, 0)


def _bicg(given: Arrays, n: int) -> Arrays:
    a = given["a"].reshape(n, n).astype("f8")
    return {"s": a.T @ given["r"], "q": a @ given["p"]}


def _mvt_hand(gpu: Any, n: int) -> None:
    gpu.launch("rows", *_line(n), "a", "y1", "x1", n, 1)
    gpu.launch("columns", *_line(n), "a", "y2", "x2", n, 1)


def _mvt(given: Arrays, n: int) -> Arrays:
    a = given["a"].reshape(n, n).astype("f8")
    return {"x1": given["x1"] + a @ given["y1"], "x2": given["x2"] + a.T @ given["y2"]}


def _gemm_hand(gpu: Any, n: int) -> None:
    gpu.launch("gemm", *_plane(n), "a", "b", "c", n)


def _gemm(given: Arrays, n: int) -> Arrays:
    a, b, c = (given[name].reshape(n, n).astype("f8") for name in "abc")
    return {"c": 1.5 * a @ b + 0.5 * c}


def _gramschmidt_hand(gpu: Any, n: int) -> None:
    for k in range(n):
        gpu.launch("column_norm", (1, 1), (1, 1, 1), "a", "r", n, k)
        gpu.launch("column_scale", *_line(n), "a", "r", "q", n, k)
        if k + 1 < n:
            gpu.launch("project", *_line(n - k - 1), "a", "r", "q", n, k)


def _gramschmidt(given: Arrays, n: int) -> Arrays:
    a, r, q = given["a"].reshape(n, n).astype("f8"), np.zeros((n, n)), np.zeros((n, n))
    for k in range(n):
        r[k, k] = np.sqrt(a[:, k] @ a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return {"r": r, "q": q}


PROGRAMS = (
    Program(
        "conv3d", "conv3d", lambda n: {"a": n**3}, lambda n: {"b": n**3}, _conv3d_hand, _conv3d, (256, 384, 512), 16
    ),
    Program(
        "bicg",
        "matvec",
        lambda n: {"a": n * n, "r": n, "p": n},
        lambda n: {"s": n, "q": n},
        _bicg_hand,
        _bicg,
        (4096, 8192, 16384),
        48,
    ),
    Program(
        "atax", "matvec", lambda n: {"a": n * n, "x": n}, lambda n: {"y": n}, _atax_hand, _atax, (4096, 8192, 16384), 48
    ),
    Program(
        "mvt",
        "matvec",
        lambda n: {"a": n * n, "y1": n, "y2": n, "x1": n, "x2": n},
        lambda n: {"x1": n, "x2": n},
        _mvt_hand,
        _mvt,
        (4096, 8192, 16384),
        48,
    ),
    Program(
        "gemm",
        "gemm",
        lambda n: {"a": n * n, "b": n * n, "c": n * n},
        lambda n: {"c": n * n},
        _gemm_hand,
        _gemm,
        (1024, 2048, 4096),
        40,
    ),
    Program(
        "gramschmidt",
        "gramschmidt",
        lambda n: {"a": n * n},
        lambda n: {"r": n * n, "q": n * n},
        _gramschmidt_hand,
        _gramschmidt,
        (1024, 2048, 4096),
        24,
    ),
)
