"""The data environment of target regions: which variables are used, how they get to the device, and why."""

from ompls.analysis.dataenv.region import calls_in, map_type_of, region_of

__all__ = ["calls_in", "map_type_of", "region_of"]
