"""The manual page of a device, in Markdown: what its `device.toml` says, and the `manual.md` beside it.

`ompls explain DEVICE` shows it, docs/devices.md is made of those of our devices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ompls.analysis.spec.devices import ABILITIES, DeviceSpec
from ompls.project.devices import registry
from ompls.project.files import read_regular
from ompls.project.problem import FileProblem

FILE = "manual.md"
_MOST = 1 << 18  # bytes of such a file


def page(device: DeviceSpec, *, brief: bool = False) -> str:
    """brief -- of a device that stands in for another one only what is different."""
    known = registry()
    like = known.devices.get(device.in_place_of) if brief else None
    parts = [f"# `{device.name}`", f"This is {device.title}.", _kernels(device)]
    if like is not None and _tables(like) == _tables(device):
        parts.append(f"It runs the kernels of `{like.name}`, and can do and lacks what that one does.")
    else:
        parts += _tables(device)
    parts += _reasons("not on every model", device.older)
    try:
        data = read_regular(str(known.folders[device.name] / FILE), _MOST)
        parts.append(data.decode("utf-8", "replace").strip())
    except FileProblem:  # nobody has to write one
        parts.append(f"Its folder has no `{FILE}`.")
    return "\n\n".join(parts) + "\n"


def called(key: str) -> str:
    """What an ability is called where there is no program to take a word from."""
    word = f"`{key.removeprefix('type ')}`" if key.startswith("type ") and key != "type complex" else "…"
    return ABILITIES[key].replace("`{}`", word).replace("{}", "…")


def _kernels(device: DeviceSpec) -> str:
    if device.planned:
        return f"It is planned: {device.planned}. It can be checked for, and nothing else."
    makes = f"by the target of `{device.target}`" if device.target else f"by the set `{device.kernels}`"
    language = f" ({device.language})" if device.language else ""
    others = ", ".join(f"`{name}…`" for name in device.triples)
    here = f" To other compilers it is {others}." if others else ""
    return f"Its kernels are made {makes}{language}.{here}"


def _tables(device: DeviceSpec) -> list[str]:
    parts = list(_reasons("lacks", device.lacks)) + list(_reasons("slow", device.slow))
    if limits := [f"| {what} | {number} |" for what, number in _limits(device) if number]:
        parts.append(_table(("limit", ""), limits))
    names = "any of the C library"
    if device.functions is not None:
        names = ", ".join(f"`{name}`" for name in sorted(device.functions)) or "none"
    return [*parts, f"Library functions in kernels: {names}."]


def _limits(device: DeviceSpec) -> Iterator[tuple[str, int]]:
    yield "bytes of a thread for its variables, at most", device.stack
    yield "bytes of a team for the variables that its threads share", device.team_memory
    yield "threads of a team, at most", device.threads
    yield "threads of a team when nobody says how many", device.team


def _reasons(head: str, reasons: Mapping[str, str]) -> Iterator[str]:
    if reasons:
        yield _table((head, "because"), [f"| {called(key)} | {why} |" for key, why in reasons.items()])


def _table(head: tuple[str, str], rows: Iterable[str]) -> str:
    return "\n".join([f"| {head[0]} | {head[1]} |", "|---|---|", *rows])
