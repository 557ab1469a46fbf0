"""The device `mpinode`: a process on a node of a cluster, with another device inside (cluster.py starts it)."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import Any, Sequence

from ompls.devices.mpinode.module.hosts import hosts
from ompls.devices.remote.device import Remote
from ompls.runtime.devices import Availability, Device
from ompls.runtime.errors import DeviceUnavailable

_INSIDE = re.compile(r"libmpi(ch)?\.a")  # MPI as an archive


class MpiNode(Remote):
    """Nodes of a cluster, at build time."""

    def make_near(self) -> Any:
        from ompls.devices.mpinode.module.cluster import Cluster  # noqa: PLC0415 -- loads MPI

        return Cluster(self.name, self.kind, self.inner_name)

    def around(self, inner: str) -> Device:
        return MpiNode(inner)

    def refuse_libraries(self, libraries: Sequence[Path]) -> None:
        """Of a program's own MPI there is one, which nodes use as well."""
        for path in libraries:
            if _INSIDE.fullmatch(path.name):
                why = "nodes are reached by an MPI that is a shared library, and the program would have {} inside"
                raise DeviceUnavailable(self.name, why.format(path), "link it with libmpi.so")

    def probe(self) -> Availability:
        """It is there when mpi4py and mpiexec are, and what compiles kernels of the device inside.

        Any machine can be a node, so programs that were built for nodes always say why there are none.
        """
        inner = super().probe()
        if not inner.available:
            return inner
        if importlib.util.find_spec("mpi4py") is None:
            return Availability(False, "mpi4py is not installed", "pip install 'ompls[mpi]'", mistaken=True)
        from ompls.devices.mpinode.module.library import launcher  # noqa: PLC0415

        try:
            launcher()
            names, source = hosts(os.environ, self.inner_name)
        except DeviceUnavailable as error:
            return Availability(False, error.reason, error.hint, mistaken=True)
        told = ", ".join(dict.fromkeys(names)) if names else "this machine; OMPLS_HOSTFILE names others"
        return Availability(True, description="over MPI: {}{}".format(told, " ({})".format(source) if source else ""))


DEVICE = MpiNode()
