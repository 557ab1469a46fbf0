"""Translating for devices by their names, as the command line has them."""

from __future__ import annotations

from collections.abc import Sequence

from ompls import translate as translator
from ompls.analysis.model.tu import TU
from ompls.analysis.spec.devices import DeviceSpec
from ompls.project.devices import registry
from ompls.project.targets import targets


def devices(*names: str) -> tuple[DeviceSpec, ...]:
    return tuple(registry().devices[name] for name in names)


def translate(tus: list[TU], names: Sequence[str]) -> translator.Bundle:
    chosen = devices(*names)
    return translator.translate(tus, chosen, targets(chosen))


def preview(tu: TU, name: str, region: str | int | None = None, *, explain: bool = False) -> translator.Preview:
    chosen = devices(name)
    return translator.preview(tu, *chosen, targets(chosen), region, explain=explain)
