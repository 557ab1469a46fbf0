"""Translating for devices by their names, as the command line has them."""

from __future__ import annotations

from collections.abc import Sequence

from ompls import translate as translator
from ompls.analysis.model.tu import TU
from ompls.analysis.spec.devices import DeviceSpec
from ompls.project.devices import registry


def devices(*names: str) -> tuple[DeviceSpec, ...]:
    return tuple(registry().devices[name] for name in names)


def translate(tus: list[TU], names: Sequence[str]) -> translator.Bundle:
    return translator.translate(tus, devices(*names))


def preview(tu: TU, name: str, region: str | int | None = None, *, explain: bool = False) -> translator.Preview:
    return translator.preview(tu, *devices(name), region, explain=explain)
