"""What an editor shows besides diagnostics, as plain values: hover texts, places of lenses, symbols.

Offsets are bytes of the main file.
"""

from ompls.analysis.features.hover import hover
from ompls.analysis.features.regions import RegionPlace, lenses, region_at, regions

__all__ = ["RegionPlace", "hover", "lenses", "region_at", "regions"]
