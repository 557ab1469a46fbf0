"""Whether devices can run a region: what the region needs, held against what each of them lacks.

This is the only place that says no because of a construct, a clause, a feature of C, a library function or the size of
a thread's memory; what a transformation refuses by itself is a form that it cannot write down.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from ompls.analysis.dataenv import gnulayouts, lockwaits
from ompls.analysis.dataenv.abilities import needed
from ompls.analysis.dataenv.layouts import Unlike, unlike_globals, unlike_in, unlike_moved, unlike_sizes
from ompls.analysis.dataenv.storage import depth, place, said
from ompls.analysis.model.ast import Call, DirectiveStmt, Node, Symbol
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.model.omp import Directive
from ompls.analysis.spec.devices import ABILITIES, DeviceSpec
from ompls.translate.functions import elsewhere, in_other_units
from ompls.translate.layouts import refuse_otherwise
from ompls.translate.needs import Needs
from ompls.translate.plan import RegionPlan
from ompls.translate.problem import Problem
from ompls.translate.uses import names_in


def check(devices: Iterable[DeviceSpec], plan: RegionPlan, needs: Needs, host: DataModel) -> None:
    """Raises Problem for the first thing that the region, or a function that it calls, needs and the device lacks, or
    that the device lays out otherwise than the host."""
    for device in devices:
        for need in needed(plan.region.stmt):
            if need.key in device.lacks:
                raise Problem(need.span, _quoted(need.shown), _quoted(device.lacks[need.key]))
        _check_sizes(device, plan.region.stmt, needs, host)
        _check_layout(device, unlike_in(plan.region, host, device.data_model(host), device.wide_long))
        if gnulayouts.ABILITY in device.lacks:
            lacks = _quoted(device.lacks[gnulayouts.ABILITY])
            refuse_otherwise((), [(plan.item, plan.region.stmt.span)], host, lacks)
        check_functions((device,), needs, host)
        for name, symbol in needs.externals.items():
            _check_function(device, plan, name, symbol)
        if lockwaits.ABILITY in device.lacks:
            text = lockwaits.text_of(plan.item.content)
            _check_locks(device, lockwaits.apart_in(plan.region.stmt, text, takers_in(needs)))


def check_as_written(devices: Iterable[DeviceSpec], stmt: DirectiveStmt) -> None:
    """The same for a region as its user wrote it, where it was lowered: without the functions that it calls."""
    for device in devices:
        for need in needed(stmt):
            if need.key in device.lacks:
                raise Problem(None, _quoted(need.shown), _quoted(device.lacks[need.key]))


def check_functions(devices: Iterable[DeviceSpec], needs: Needs, host: DataModel) -> None:
    """The same for the functions alone, and for the types of all of it."""
    for lacks in [_quoted(d.lacks[gnulayouts.ABILITY]) for d in devices if gnulayouts.ABILITY in d.lacks]:
        refuse_otherwise(needs.types, [(item, function.span) for item, function in needs.functions], host, lacks)
    for (item, function), device in product(needs.functions, devices):
        _check_sizes(device, function.body, needs, host, f" in the function '{function.symbol.name}'")
        for need in needed(function.body):
            if need.key in device.lacks:
                what = f"{need.shown} in the function `{function.symbol.name}`"
                raise Problem(None, _quoted(what), _quoted(device.lacks[need.key]))
        model = device.data_model(host)
        _check_layout(device, unlike_globals([function], host, model), inside=True)
        _check_layout(device, unlike_sizes(function, host, model), inside=True)
        if lockwaits.ABILITY in device.lacks:
            found = lockwaits.apart(function.body, lockwaits.text_of(item.content), takers_in(needs))
            _check_locks(device, found, f" in the function '{function.symbol.name}'")
    circle = _recursive(needs)
    for device in devices if circle else ():
        if "recursion" in device.lacks:
            raise Problem(None, f"the recursive function '{circle}'", _quoted(device.lacks["recursion"]))


def check_moved(devices: Iterable[DeviceSpec], directive: Directive, host: DataModel) -> None:
    """The same for what a construct without a region maps or updates."""
    for device in devices:
        _check_layout(device, unlike_moved(directive, host, device.data_model(host), device.wide_long))


def _check_layout(device: DeviceSpec, found: Iterable[Unlike], inside: bool = False) -> None:
    for x in found:
        span = None if inside else x.span
        raise Problem(span, _quoted(x.what), _quoted(x.why.format(device.name)))


def _check_sizes(device: DeviceSpec, node: Node, needs: Needs, host: DataModel, where: str = "") -> None:
    """With the functions that it calls."""
    found = depth(node, device.data_model(host), needs.body_of, device.stack) if device.stack else None
    if found is not None and found.at is not None:
        why = f"a thread of {device.name} has {device.stack:,} for its variables"
        raise Problem(None if where else place(found.at), _quoted(said(found)) + where, why)


def _check_locks(device: DeviceSpec, found: Iterable[tuple[Call, str]], where: str = "") -> None:
    for call, advice in found:
        what = ABILITIES[lockwaits.ABILITY].format(lockwaits.routine(call)) + where
        raise Problem(None if where else call.span, _quoted(what), f"{device.lacks[lockwaits.ABILITY]}: {advice}")


def takers_in(needs: Needs) -> lockwaits.Takers:
    """The functions of a kernel's that wait for locks, with those of other units."""
    return lockwaits.takers([f for _, f in needs.functions], [s.name for s in in_other_units(needs.devices, needs)])


def _recursive(needs: Needs) -> str:
    """The name of a function that calls itself, directly or through others; '' without one."""
    calls = {f.symbol.name: {s.name for s in item.content.calls} for item, f in needs.functions}
    for name in calls:
        seen, waiting = set[str](), [name]
        while waiting:
            reached = calls.get(waiting.pop(), set()) - seen
            if name in reached:
                return name
            seen |= reached
            waiting += reached
    return ""


def _check_function(device: DeviceSpec, plan: RegionPlan, name: str, symbol: Symbol) -> None:
    """A function without a body in this file is one of the device's library."""
    if device.can_call(name) or name.startswith("__builtin_") or elsewhere(device, name, symbol):
        return
    at = next((n.span for n in names_in(plan.region.stmt) if n.name == name), None)
    raise Problem(at, f"the call of '{name}'", f"its body is not in this file, and {device.no_function}")


def _quoted(text: str) -> str:
    """Problems are shown by the command line, too: without Markdown."""
    return text.replace("`", "'")
