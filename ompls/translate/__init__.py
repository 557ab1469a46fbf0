"""From the model of translation units to a bundle, and to the preview of one region.  Pure: values in, values out."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.tu import TU, Item, Region
from ompls.analysis.spec.devices import DeviceSpec
from ompls.translate.bundle import Bundle, pack
from ompls.translate.classes import NotTranslatedError, Targets, classes_of
from ompls.translate.explain import interleaved, story
from ompls.translate.mappers import mappers_of
from ompls.translate.output import OutLine, line_map, text_of
from ompls.translate.symbols import unit_name
from ompls.translate.tables import known
from ompls.translate.target import HOST, TargetFault
from ompls.translate.unit import Unit, unplaced

__all__ = ["Bundle", "NotTranslatedError", "Preview", "TargetFault", "preview", "translate"]


def translate(tus: list[TU], devices: Sequence[DeviceSpec], targets: Targets, version: str = "") -> Bundle:
    """The bundle of some translation units for some devices.

    targets -- what the folders of these devices define (project/targets.py)
    version -- of OpenMP that the compiler has which builds it, where that is older than gcc 12: "4.5"

    When something cannot be translated, the bundle has diagnostics (rule `untranslatable-construct`) and no files.
    Raises NotTranslatedError for a device for which no kernels are made, TargetFault when a folder's target fails.
    """
    classes = [s.name for s in classes_of(devices, targets)]
    files: dict[str, str] = {}
    entries, problems = [], []
    names: set[str] = set()
    units: list[Unit] = []
    with _no_collections():
        for tu in tus:
            name = _unique(unit_name(tu.path), names)
            unit = Unit(tu, name, devices, targets, replace(HOST, version=version))
            made, entry = unit.translate()
            files.update(made)
            entries.append(entry)
            problems += unit.problems
            units.append(unit)
        problems += unplaced(units)
        if problems:
            return Bundle(diagnostics=problems)
        return pack(files, entries, [device.name for device in devices], classes)


@contextlib.contextmanager
def _no_collections() -> Iterator[None]:
    """Without looking for garbage: what a unit's translation makes is needed until its end."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _unique(name: str, names: set[str]) -> str:
    result, k = name, 2
    while result in names:
        result, k = f"{name}_{k}", k + 1
    names.add(result)
    return result


@dataclass(frozen=True)
class Preview:
    """Kernel text for people.  `line_map`: (line of the text, line of the main file), both 1-based."""

    text: str
    line_map: tuple[tuple[int, int], ...]
    diagnostics: tuple[Diagnostic, ...]
    extension: str
    language: str


def preview(
    tu: TU,
    device: DeviceSpec,
    targets: Targets,
    region: str | int | None = None,
    *,
    head: bool = False,
    explain: bool = False,
) -> Preview:
    """The kernels of `tu` for a device: all, or that of a region id, or those a 1-based line belongs to.

    head -- with what the host does for each: bytes and geometry; explain -- and the source lines between

    Raises NotTranslatedError for a device for which no kernels are made.
    """
    with _no_collections():
        made = _preview(tu, device, targets, region, head=head or explain, explain=explain)
    for kept in (mappers_of, known):
        kept.cache_clear()  # they keep the unit, of which the next preview has another version
    return made


def _preview(
    tu: TU, device: DeviceSpec, targets: Targets, region: str | int | None, *, head: bool, explain: bool
) -> Preview:
    unit = Unit(tu, unit_name(tu.path), [device], targets)
    (s,) = unit.sets
    unit.check()
    if region is None:
        unit.check_text()
    lines: list[OutLine] = []
    for item, r in unit.regions():
        if not _wanted(unit, item, r, region):
            continue
        if unit.prepare(item, r):
            if lines:
                lines.append(OutLine(""))
            kernel = unit.kernel(s, item, r)
            if explain:
                kernel = list(interleaved(unit.places, kernel))
            if head and kernel:
                kernel = [*story(unit.places, unit.plans[id(r)], device), *kernel]
            lines += kernel
    found = tuple(unit.problems)
    return Preview(text_of(lines), tuple(line_map(lines, tu.path)), found, s.extension, s.language)


def _wanted(unit: Unit, item: Item, r: Region, region: str | int | None) -> bool:
    if region is None or isinstance(region, str):
        return region is None or r.id == region
    path, first = unit.places.line(item, r.stmt.span.start)
    last = max(r.stmt.span.start, r.stmt.span.end - 1)
    return path == unit.tu.path and first <= region <= unit.places.line(item, last)[1]
