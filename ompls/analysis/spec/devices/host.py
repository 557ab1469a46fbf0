"""`host`: kernels are C with OpenMP, compiled by the system's gcc; they run in the process, on copies of the data."""

from __future__ import annotations

from ompls.analysis.spec.devices.model import DeviceSpec

# What no transformation set can do: it is the data environment that is missing, not the device.
EVERYWHERE = {
    "clause device ancestor": "reverse offloading is not there yet",
    "section with a stride": "give it a stride of one",
    "construct threadprivate": "a kernel has no threadprivate variables",
}
# What gcc's C lacks in a file of kernels.
LACKS = {
    **EVERYWHERE,
    "clause copyin": "a kernel has no threadprivate variables",
    "varargs": "pass an array and its length",
}

HOST = DeviceSpec("host", "default", True, lacks=LACKS, slow={})
