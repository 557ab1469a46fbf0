"""What a target region needs and the chosen device lacks: one look at the tables for all rules about devices.

What is in a function that the region calls is reported at the call: that is where it meets the device.  A device that
nobody chose (`Settings.device_chosen`) is a guess, so what it lacks is a hint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Literal

from ompls.analysis.dataenv.abilities import Need, needed
from ompls.analysis.diagnostic import Severity
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.tu import Content, Region
from ompls.analysis.rules.support.framework import Finding, Scene
from ompls.analysis.spec.devices import DeviceSpec


def devices_in(scene: Scene) -> tuple[DeviceSpec, ...]:
    """The devices that the rules speak about."""
    return scene.unit.settings.devices


def severity_of(scene: Scene) -> Severity:
    return "warning" if scene.unit.settings.device_chosen else "hint"


def regions_of(scene: Scene) -> Iterator[Region]:
    """The regions that run on a device: not those that `device(ancestor: …)` brings back to the host."""
    for region in scene.content.regions if scene.content is not None else ():
        clause = region.directive.clause("device")
        if clause is None or clause.keyword != "ancestor":
            yield region


def lacking(scene: Scene, concerns: Callable[[str], bool]) -> Iterator[Finding]:
    """A finding for each ability that `concerns` picks by its key and that a device lacks or has at a price."""
    devices = [device for device in devices_in(scene) if device.lacks or device.slow]
    for region in regions_of(scene) if devices else ():
        for need in needs_in(scene.content, region.stmt):
            if concerns(need.key):
                yield from _findings(scene, devices, need)
        for call, function in called(scene, region):
            for need in needs_in(function, None):
                said = grouped(devices, need.key, "lacks") if concerns(need.key) else {}
                for why, names in said.items():
                    what = f"{need.shown} in `{_name(function)}`, which is called here,"
                    yield Finding(call.span, f"{what} cannot run on {names}: {why}", severity_of(scene))
                if said:
                    break


def _findings(scene: Scene, devices: list[DeviceSpec], need: Need) -> Iterator[Finding]:
    for why, names in grouped(devices, need.key, "lacks").items():
        yield Finding(need.span, f"{need.shown} cannot run on {names}: {why}", severity_of(scene))
    for why, names in grouped(devices, need.key, "slow").items():
        yield Finding(need.span, f"{need.shown} is slow on {names}: {why}", "hint")


def grouped(devices: list[DeviceSpec], key: str, table: Literal["lacks", "slow", "older"]) -> dict[str, str]:
    """What is said of an ability -> the names of the devices that say so."""
    found: dict[str, list[str]] = {}
    for device in devices:
        said: Mapping[str, str] = getattr(device, table)
        if key in said:
            found.setdefault(said[key], []).append(device.name)
    return {why: " and ".join(names) for why, names in found.items()}


def by_model(scene: Scene) -> dict[DataModel, list[DeviceSpec]]:
    """The devices by the sizes that types have there."""
    found: dict[DataModel, list[DeviceSpec]] = {}
    for device in devices_in(scene):
        found.setdefault(device.data_model(scene.unit.model), []).append(device)
    return found


def by_limit(devices: list[DeviceSpec], limit: Callable[[DeviceSpec], int]) -> dict[int, str]:
    """A limit that devices have -> the names of those; the smallest first."""
    found: dict[int, list[str]] = {}
    for device in devices:
        if limit(device):
            found.setdefault(limit(device), []).append(device.name)
    return {most: " and ".join(found[most]) for most in sorted(found)}


def needs_in(content: Content | None, stmt: Node | None) -> tuple[Need, ...]:
    """What a statement, or the body of a function, needs."""
    if content is None:
        return ()
    return _needs(stmt if stmt is not None else content.node)


# Several rules ask one after the other; what they make of it is kept with the declaration, and this need not be.
@lru_cache(maxsize=1024)
def _needs(node: Node) -> tuple[Need, ...]:
    return tuple(needed(node))


def calls_in(content: Content | None, region: Region) -> tuple[ast.Name, ...]:
    """The names of what the region calls, in source order."""
    return _calls(region.stmt) if content is not None else ()


@lru_cache(maxsize=1024)
def _calls(stmt: ast.DirectiveStmt) -> tuple[ast.Name, ...]:
    calls = [n for n in _on_device(stmt) if isinstance(n, ast.Call)] if stmt.nodes(ast.Call) else []
    return tuple([n.function for n in calls if isinstance(n.function, ast.Name)])


def _on_device(stmt: ast.DirectiveStmt) -> Iterator[Node]:
    """The nodes of a region in source order, without those of regions in it that go back to the host."""
    stack: list[Node] = [stmt]
    while stack:
        node = stack.pop()
        clause = node.directive.clause("device") if isinstance(node, ast.DirectiveStmt) and node is not stmt else None
        if clause is None or clause.keyword != "ancestor":
            yield node
            stack.extend(reversed(list(node.children())))


def called(scene: Scene, region: Region) -> Iterator[tuple[ast.Name, Content]]:
    """Every function of this unit that the region calls, itself or through others, with the call in the region."""
    seen: set[str] = set()
    for call in calls_in(scene.content, region):
        if call.symbol is not None and call.symbol.kind != "func":
            continue  # a pointer, which may have the name of a function
        waiting = [call.name]
        while waiting:
            name = waiting.pop()
            content = scene.unit.functions.get(name)
            if name not in seen and content is not None:
                seen.add(name)
                yield call, content
                waiting += [s.name for s in content.calls]


def _name(content: Content) -> str:
    node = content.node
    return node.symbol.name if isinstance(node, ast.FunctionDef) else ""
