"""`mpinode`: a process on a node of a cluster; kernels are C with OpenMP, as for `host`."""

from __future__ import annotations

from ompls.analysis.spec.devices.host import LACKS
from ompls.analysis.spec.devices.model import DeviceSpec

MPINODE = DeviceSpec("mpinode", "default", False, lacks=LACKS, slow={})
