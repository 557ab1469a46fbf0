"""Whether devices can run a region: what the region needs, held against what each of them lacks.

This is the only place that says no because of a construct, a clause, a feature of C or a library function; what a
transformation refuses by itself is a form that it cannot write down.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from ompls.analysis.dataenv.abilities import needed
from ompls.analysis.model.ast import DirectiveStmt, Symbol
from ompls.analysis.spec.devices import DeviceSpec
from ompls.translate.functions import elsewhere
from ompls.translate.needs import Needs
from ompls.translate.plan import RegionPlan
from ompls.translate.problem import Problem
from ompls.translate.uses import names_in


def check(devices: Iterable[DeviceSpec], plan: RegionPlan, needs: Needs) -> None:
    """Raises Problem for the first thing that the region, or a function that it calls, needs and the device lacks."""
    for device in devices:
        for need in needed(plan.region.stmt):
            if need.key in device.lacks:
                raise Problem(need.span, _quoted(need.shown), _quoted(device.lacks[need.key]))
        check_functions((device,), needs)
        for name, symbol in needs.externals.items():
            _check_function(device, plan, name, symbol)


def check_as_written(devices: Iterable[DeviceSpec], stmt: DirectiveStmt) -> None:
    """The same for a region as its user wrote it, where it was lowered: without the functions that it calls."""
    for device in devices:
        for need in needed(stmt):
            if need.key in device.lacks:
                raise Problem(None, _quoted(need.shown), _quoted(device.lacks[need.key]))


def check_functions(devices: Iterable[DeviceSpec], needs: Needs) -> None:
    """The same for the functions alone."""
    for (_, function), device in product(needs.functions, devices):
        for need in needed(function.body):
            if need.key in device.lacks:
                what = f"{need.shown} in the function `{function.symbol.name}`"
                raise Problem(None, _quoted(what), _quoted(device.lacks[need.key]))
    circle = _recursive(needs)
    for device in devices if circle else ():
        if "recursion" in device.lacks:
            raise Problem(None, f"the recursive function '{circle}'", _quoted(device.lacks["recursion"]))


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
