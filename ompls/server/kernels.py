"""The code that a device gets for a region, made by the worker of its document; `preview.py` shows it.  For the device
`virtual.GRAPH` it is the task graph (`graphs.py`), and its regions are where there are some."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from ompls.analysis import features
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.tu import TU
from ompls.analysis.syntax.quoted import in_comment
from ompls.project.devices import AUTO, of_settings, registry
from ompls.project.problem import EnvironmentProblem
from ompls.runtime.folders import PREFERENCE
from ompls.server import graphs
from ompls.server.convert import Json
from ompls.server.opened import Kernel, Opened, Result
from ompls.server.refusal import Refused, refuse
from ompls.server.refused import cannot, page, reasons, regions_refused
from ompls.server.virtual import GRAPH, WATCHED, Target, headed


def asked(opened: Opened, result: Result, params: Json) -> Json:
    """`ompls/preview`: of the region that is named, or that holds the position or is above it, or the first one."""
    device, region = str(params.get("device") or opened.settings.preview.device.partition(",")[0]), params.get("region")
    held = isinstance(region, str)
    if not isinstance(region, str):
        region, held = _region_near(opened, result, params.get("position"), device)
    if (absent := _absent(result.tu, region, device)) is not None:
        raise refuse(f"preview: {absent}")
    made = shown(opened, result, Target(opened.document.uri, device, region, params.get("explain") is True))
    if device == GRAPH and params.get("picture") is True:
        made["picture"] = graphs.picture(opened, result, region, params.get("unfolded") or ())
    return {**made, "held": held}


def shown(opened: Opened, result: Result, target: Target) -> Json:
    """The same for a virtual document: what cannot be shown is said in its text."""
    graph = target.device == GRAPH
    made = graphs.made(opened, result, target.region) if graph else _translate(opened, result.tu, target)
    places = opened.places(result)
    text = _shortened(made.text, opened.workspace.roots or (os.path.dirname(opened.document.path),))
    stale, absent, line_map = False, _absent(result.tu, target.region, target.device), made.line_map
    if text and absent is None and not (graph and made.broken):
        _keep(opened.kernels, target, Kernel(text, line_map))
    elif (broken := _unparsed(result)) and (kept := opened.kernels.get(target)) is not None:
        stale = True
        head = f"{in_comment(broken)}: this is the last {'graph' if graph else 'kernel'} before that."
        text, shifted = headed(head, kept.text, kept.line_map)
        line_map = tuple(shifted)
    elif absent is not None:
        text = f"// {in_comment(absent)}\n"
    elif not text:
        text = _why_not(opened, result, target, made.diagnostics)
    extension = "." + made.extension.lstrip(".")
    return {
        "uri": target.virtual_uri(opened.document.path, extension),
        "languageId": made.language,
        "region": target.region,
        "device": target.device,
        "version": result.version,
        "text": text,
        "lineMap": [list(pair) for pair in line_map],
        "stale": stale,
        "diagnostics": [places.diagnostic(d, d.where, None) for d in made.diagnostics],
    }


def _keep(kernels: dict[Target, Kernel], target: Target, kernel: Kernel) -> None:
    kernels.pop(target, None)
    kernels[target] = kernel
    if len(kernels) > WATCHED:
        kernels.pop(next(iter(kernels)))


def _unparsed(result: Result) -> str:
    """What is wrong with a source that does not parse; "" when it does."""
    note = next((n for n in result.tu.notes if n.kind == "parse"), None)
    if note is None:
        return ""
    line = result.lines.line_of(result.tu.map.location(note.start, note.start + 1).start) + 1
    return f"the source does not parse (line {line}: {note.message})"


def _region_near(opened: Opened, result: Result, position: Any, device: str) -> tuple[str, bool]:
    """The region for a position, or the first one, and whether the position is in it."""
    offset = 0
    if isinstance(position, dict):
        place = SimpleNamespace(line=int(position.get("line", 0)), character=int(position.get("character", 0)))
        offset = opened.offset(result, place)
    if device == GRAPH:
        near = features.graph_near(result.tu, offset)
        found = None if near is None else (near[0].id, near[1])
    else:
        found = features.region_near(result.tu, offset)
    if found is None:
        none = "task graph: no `taskgraph`, and no tasks with `depend`" if device == GRAPH else "target region"
        raise refuse(f"preview: {os.path.basename(result.tu.path)} has no {none}")
    return found


def _absent(tu: TU, region: str, device: str) -> str | None:
    """Why there is nothing to show of a region that does not exist."""
    if region in _ids(tu, device):
        return None
    known = list(_ids(tu, device))
    what, has = "task graph" if device == GRAPH else "region", ", ".join(known[:20]) if known else "none"
    return f"{os.path.basename(tu.path)} has no {what} '{region}'; it has {has}"


def _ids(tu: TU, device: str) -> Iterator[str]:
    return (place.id for place in features.graph_places(tu)) if device == GRAPH else features.region_ids(tu)


def cannot_run(opened: Opened, result: Result, params: Json) -> Json:
    """Of the devices in `names` those that cannot run the document's program, and why."""
    known, places = registry().devices, opened.places(result)
    why = {name: cannot(result.tu, known[name], places) for name in params["names"] if name in known}
    return {name: reason for name, reason in why.items() if reason}


def refused_on(opened: Opened, result: Result, params: Json) -> Json:
    """The regions that a device which a run may use cannot run, with the names of these devices."""
    asked = opened.settings.run.device
    known = registry().devices
    devices = [known[name] for name in PREFERENCE if name in known] if asked == AUTO else of_settings(asked)
    return regions_refused(result.tu, devices)


def chosen_devices(opened: Opened) -> list[str]:
    """The devices of the setting whose code can be looked at."""
    return list(dict.fromkeys(d.name for d in of_settings(opened.settings.preview.device) if not d.planned))


def shown_devices(opened: Opened) -> list[str]:
    """The devices whose code can be looked at: first those of the setting."""
    known = (device.name for device in registry().devices.values() if not device.planned)
    return list(dict.fromkeys((*chosen_devices(opened), *known)))


def prepare() -> None:
    """Import what previews need: the templates' engine is not needed to start."""
    import ompls.translate  # noqa: F401, PLC0415


def _translate(opened: Opened, tu: TU, target: Target) -> Any:
    from ompls.project.targets import fault, targets  # noqa: PLC0415 - as above
    from ompls.translate import NotTranslatedError, TargetFault, preview  # noqa: PLC0415

    try:
        device = registry().chosen(target.device)[0]
        brought = targets((device,), (*opened.workspace.roots, opened.document.path))
        return preview(tu, device, brought, target.region, head=True, explain=target.explain)
    except NotTranslatedError as problem:
        raise refuse(f"preview: cannot translate for {problem}") from problem
    except TargetFault as problem:
        raise refuse(f"preview: {fault(device, problem.__cause__ or problem)}") from problem
    except EnvironmentProblem as problem:
        raise refuse(f"preview: {problem}") from problem


def _shortened(text: str, roots: Sequence[str]) -> str:
    """With the files that comments name relative to the workspace: a preview is read beside its source."""
    inside = "|".join(re.escape(in_comment(root.rstrip("/") + "/")) for root in roots if os.path.isabs(root))
    return re.sub(rf"(?m)^(//.*?|/\*.*?)(?:{inside})", r"\1", text) if inside else text


def _why_not(opened: Opened, result: Result, target: Target, said: Sequence[Diagnostic]) -> str:
    tu = result.tu
    region = next(place for place in features.regions(tu) if place.id == target.region)
    found = reasons(tu, registry().chosen(target.device)[0], region, said)
    others = [name for name in shown_devices(opened) if name != target.device and _takes(opened, tu, target, name)]
    return page(tu, registry().chosen(target.device)[0], region, found, opened.places(result), others=others)


def _takes(opened: Opened, tu: TU, target: Target, device: str) -> bool:
    try:
        return bool(_translate(opened, tu, replace(target, device=device)).text)
    except Refused:
        return False
