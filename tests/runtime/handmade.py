"""Bundles written by hand: the shape of what the translator makes, for tests that need no translator.

A program is a list of regions; `make_bundle` writes host C, kernels of class `default` and a manifest into a directory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RUNTIME = Path(__file__).resolve().parents[2] / "ompls" / "runtime"
CORE = RUNTIME / "core"


def make_bundle(
    directory: Path, host: str, kernels: Mapping[str, str], params: Mapping[str, list[dict[str, Any]]]
) -> Path:
    """Write a bundle of one unit, `prog.c`; `kernels` maps kernel names to C text, `params` to their parameters."""
    files = {"host/prog.c": f'#include "{CORE}/ompls.h"\n#line 1 "prog.c"\n{host}'}
    entries = []
    for name, text in kernels.items():
        files[f"kernels/default/{name}.c"] = text
        entry = {"name": name, "file": "prog.c", "line": 1, "mode": "spmd", "params": params[name]}
        entries.append({**entry, "files": {"default": f"kernels/default/{name}.c"}})
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    manifest = {
        "ompls_bundle": 1,
        "devices": ["host"],
        "classes": ["default"],
        "units": [{"source": "prog.c", "host": "host/prog.c", "includes_from": "", "kernels": entries, "globals": []}],
        "sha256": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()},
    }
    (directory / "manifest.json").write_text(json.dumps(manifest))
    return directory


SAXPY_HOST = r"""
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>
static const ompls_item_desc items[] = {{"x[0:n]", OMPLS_MAP_TO}, {"y[0:n]", OMPLS_MAP_TO | OMPLS_MAP_FROM}};
static const ompls_param_desc params[] = {{"x", OMPLS_PARAM_ADDRESS, 0, 8}, {"y", OMPLS_PARAM_ADDRESS, 1, 8},
                                          {"n", OMPLS_PARAM_VALUE, 0, 4}, {"a", OMPLS_PARAM_VALUE, 1, 4}};
static ompls_region region = {"saxpy.c", 9, "saxpy_0", OMPLS_MODE_SPMD, 2, 4, 2, items, params, 0, 0, 0};
static void saxpy(int n, float a, const float *x, float *y) {
    ompls_arg args[] = {{x, x, n * sizeof *x, 0}, {y, y, n * sizeof *y, 0}};
    const void *values[] = {&n, &a};
    ompls_launch launch = {(uint64_t)n, 0, 0, 0, 1, {0}};
    if (!ompls_target(&region, OMPLS_DEVICE_DEFAULT, args, values, &launch))
        for (int i = 0; i < n; i++) y[i] += a * x[i];
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000, wrong = 0;
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    for (int i = 0; i < n; i++) x[i] = i, y[i] = 1;
    saxpy(n, 2, x, y);
    for (int i = 0; i < n; i++) wrong += y[i] != 1 + 2.0f * i;
    printf("%d wrong, %d devices, initial %d\n", wrong, omp_get_num_devices(), omp_is_initial_device());
    return wrong != 0;
}
"""
SAXPY_KERNEL = r"""
#line 9 "saxpy.c"
void saxpy_0(void **params) {
    const float *x = *(const float **)params[0];
    float *y = *(float **)params[1];
    int n = *(int *)params[2];
    float a = *(float *)params[3];
#pragma omp target teams distribute parallel for if(0)
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}
"""
SAXPY_PARAMS = [
    {"name": "x", "kind": "address", "size": 8},
    {"name": "y", "kind": "address", "size": 8},
    {"name": "n", "kind": "value", "size": 4},
    {"name": "a", "kind": "value", "size": 4},
]


def saxpy_bundle(directory: Path) -> Path:
    """The saxpy program as a bundle: one region, two mapped arrays, two values."""
    return make_bundle(directory, SAXPY_HOST, {"saxpy_0": SAXPY_KERNEL}, {"saxpy_0": SAXPY_PARAMS})
