"""What ptxas says each kernel of a bundle needs: `ompls preview --resources`."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ompls.cli.problem import Problem
from ompls.cli.trace import table


def of_bundle(files: Mapping[str, bytes], arch: str) -> str:
    """A table of registers, shared memory and spills.  Raises Problem when nvrtc is missing or says no."""
    from ompls.runtime import nvrtc

    rows = []
    for name, text in sorted(files.items()):
        if not name.endswith(".cu"):
            continue
        try:
            compiled = nvrtc.compile(os.fsdecode(text), arch, options=["--ptxas-options=-v"])
        except nvrtc.NvrtcUnavailable as error:
            raise Problem(str(error)) from error
        if "--gpu-architecture" in compiled.log:
            raise Problem(f"cannot compile for {arch}: nvrtc does not know it; name another one, as --arch sm_87")
        refused = [m for m in compiled.messages if m.text.startswith("static assertion failed with ")]
        if refused:  # by the device library
            said = refused[0].text.partition('"')[2].rstrip('"')
            raise Problem(f"cannot compile for {arch}: {refused[0].file}:{refused[0].line}: {said}")
        if not compiled.ok:
            raise Problem(
                f"cannot compile {name} for {arch}: {compiled.log.strip()}; this is a bug of ompls, report it"
            )
        for kernel, need in nvrtc.resources(compiled).items():
            cells = (need.registers, need.shared, need.spill_stores, need.spill_loads)
            rows.append((kernel, *(str(cell) for cell in cells)))
    head = ("kernel", "registers", "shared bytes", "spill stores", "spill loads")
    return f"Resources on {arch}, a thread or a block:\n" + table(head, rows)
