"""The names that CUDA takes from the user."""

from __future__ import annotations

# Functions that CUDA declares in the global scope and C does not: the user's get another name.
CUDA_NAMES = frozenset(
    """min max umin umax llmin llmax ullmin ullmax norm rnorm norm3d norm4d rsqrt rsqrtf rcbrt rcbrtf sinpi cospi
    sincospi exp10 exp10f normcdf normcdfinv erfinv erfcinv erfcx clock clock64 mulhi saturate brev clz popc ffs
    trap any all ballot""".split()  # noqa: SIM905
)
