"""The page in the place of a kernel that a device cannot have: what is in the way, where, by which rule, what to do."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ompls.analysis import rules
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.features.regions import RegionPlace
from ompls.analysis.model.items import Group
from ompls.analysis.model.tu import TU, Item, Region
from ompls.analysis.notes import UNTRANSLATABLE
from ompls.analysis.source import Location
from ompls.analysis.syntax.quoted import in_comment

if TYPE_CHECKING:
    from ompls.analysis.spec.devices import DeviceSpec
    from ompls.server.convert import Places


def reasons(tu: TU, device: DeviceSpec, region: RegionPlace, refused: Iterable[Diagnostic]) -> list[Diagnostic]:
    """What stands in the way of the region on that device, in the order of the places.

    refused -- what the translator says, which stops at the first thing; the rules about devices know the others
    """
    groups = [n for n, (_, group) in enumerate(tu.items.groups) if any(r.id == region.id for r in _regions(group))]
    said = [said for _, said in rules.of_device(tu, device, groups) if said.severity != "hint"]
    found = [d for d in said if _within(region.whole, d.where)]
    found += [d for d in refused if not any(_within(d.where, f.where) or _within(f.where, d.where) for f in found)]
    return sorted(dict.fromkeys(found), key=lambda d: (d.where.path, d.where.start, d.where.end))


def cannot(tu: TU, device: DeviceSpec, places: Places) -> str:
    """The first thing that keeps the device from running a region of the unit, and where; "" where there is none.

    As the rules know it: nothing is translated.
    """
    first = next(_in_the_way(tu, device), None)
    return f"{_place(places, first[1].where)}: {first[1].message}" if first is not None else ""


def regions_refused(tu: TU, devices: Iterable[DeviceSpec]) -> dict[str, str]:
    """The regions that some of the devices cannot run, as the rules know it, and the names of these devices."""
    found: dict[str, dict[str, None]] = {}
    for device in devices:
        for item, said in _in_the_way(tu, device):
            for region in item.content.regions:
                if _within(tu.locate(item, region.stmt.span), said.where):
                    found.setdefault(region.id, {})[device.name] = None
    return {region: " and ".join(names) for region, names in found.items()}


def _in_the_way(tu: TU, device: DeviceSpec) -> Iterator[tuple[Item, Diagnostic]]:
    if device.lacks or device.abi or device.functions:
        groups = (number for number, (_, group) in enumerate(tu.items.groups) if group.regions)
        yield from ((item, said) for item, said in rules.of_device(tu, device, groups) if said.severity != "hint")


def _regions(group: Group) -> Iterator[Region]:
    return (region for content in group.contents for region in content.regions)


def page(
    tu: TU,
    device: DeviceSpec,
    region: RegionPlace,
    found: Sequence[Diagnostic],
    places: Places,
    *,
    others: Sequence[str],
) -> str:
    """As comments, since the kernel comes back when the source is mended.

    others -- the devices that can run the region
    """
    name = os.path.basename(tu.path)
    lines = [f"{device.name} cannot run {region.id}: {_place(places, region.directive)}: {region.name}", ""]
    for diagnostic in found:
        lines += [f"{_place(places, diagnostic.where)}: {diagnostic.message}"]
        if text := _line(tu, diagnostic.where):
            lines.append(f"    {text}")
        lines += [f"    rule: {diagnostic.rule}", ""]
    lines.append("What to do instead:")
    if len(found) == 1:
        lines.append("* Change this; the preview then shows the kernel.")
    elif found:
        lines.append(f"* Change these {len(found)}; the preview then shows the kernel.")
    named = [rule for rule in dict.fromkeys(d.rule for d in found) if rule != UNTRANSLATABLE]
    lines += [f"* Read 'ompls explain {rule}', which has examples." for rule in named]
    if others:
        lines.append(f"* Run it on another device: {', '.join(others)} can run this region.")
    lines.append(f"* Leave it to the host: write 'if(0)' on the directive in {name}, and no device gets the region.")
    return "".join(f"// {in_comment(line)}".rstrip() + "\n" for line in lines)


def _within(outer: Location, inner: Location) -> bool:
    return outer.path == inner.path and outer.start <= inner.start and inner.end <= outer.end


def _place(places: Places, where: Location) -> str:
    return f"{os.path.basename(where.path)}:{places.range(where)['start']['line'] + 1}"


def _line(tu: TU, where: Location) -> str:
    """The line of the source that it is on."""
    if where.path != tu.path:
        return ""
    start = tu.source.rfind(b"\n", 0, where.start) + 1
    end = tu.source.find(b"\n", where.start)
    return tu.source[start : end if end >= 0 else None].decode(errors="replace").strip()
