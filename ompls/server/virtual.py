"""Virtual documents: their names.

    ompls-preview://DEVICE/PATH/REGION.EXT[?URI]      e.g. ompls-preview://cuda/home/u/saxpy.c/main_0.cu
    ompls-rule:/RULE.md                               the manual page of a rule

REGION is the function's name and the region's ordinal in it, so it survives edits above.  A document that is not a
file puts its URI into the query.  In place of a device stands `taskgraph` for the static task graph of a region.
"""

from __future__ import annotations

import os
import posixpath
import urllib.parse
from collections.abc import Iterable
from dataclasses import dataclass

from ompls.project.devices import registry
from ompls.server.convert import MANUAL_SCHEME, parts_of, uri_of

SCHEME = "ompls-preview"
GRAPH = "taskgraph"  # in place of a device
WATCHED = 16  # previews that are kept up to date at a time


@dataclass(frozen=True, slots=True)
class Target:
    """What a preview shows."""

    uri: str  # of the source
    device: str
    region: str
    explain: bool = False  # with what the host does for it, and the source lines between

    def virtual_uri(self, path: str, extension: str) -> str:
        isfile = os.path.isabs(path)
        place = path if isfile else "/" + posixpath.basename(parts_of(self.uri).path or "untitled")
        query = "" if isfile else "?" + urllib.parse.quote(self.uri, safe="")
        fragment = "#explain" if self.explain else ""
        return f"{SCHEME}://{self.device}{urllib.parse.quote(place)}/{self.region}{extension}{query}{fragment}"


def target_of(virtual: str) -> Target | None:
    """The other way round; None for what is not of this form.

    Editors write URIs anew: VS Code has the device in lower case, its parentheses percent-encoded.
    """
    parts = parts_of(virtual)
    place, _, name = urllib.parse.unquote(parts.path).rpartition("/")
    if parts.scheme != SCHEME or not place or not name:
        return None
    uri = urllib.parse.unquote(parts.query) or uri_of(place)
    device = registry().spelled(urllib.parse.unquote(parts.netloc))
    return Target(uri, device, os.path.splitext(name)[0], parts.fragment == "explain")


def headed(head: str, text: str, line_map: Iterable[Iterable[int]]) -> tuple[str, list[tuple[int, int]]]:
    """The text of a preview with a comment line above it, and its line map: (generated, source), both from 1."""
    return f"// {head}\n{text}", [(line + 1, source) for line, source in line_map]


def rule_of(virtual: str) -> str | None:
    """The rule whose manual page this is; None for what is none."""
    parts = parts_of(virtual)
    return os.path.splitext(parts.path.strip("/"))[0] if parts.scheme == MANUAL_SCHEME else None
