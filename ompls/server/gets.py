"""*Show what DEVICE gets*: code actions for the devices of the setting at a region, with what its kernel needs where
that is known, and one for any other device; and *Show the task graph*.

Nothing is translated or compiled for them.  An editor that asks by itself at every move of the cursor, for its light
bulb, hears of them on the pragma only; somebody who asks hears of them everywhere in the region.  A client that cannot
ask its user for a device is offered every one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ompls.analysis import features
from ompls.server.actions import Actions
from ompls.server.announced import SHOW
from ompls.server.convert import Json
from ompls.server.kernels import chosen_devices, shown_devices
from ompls.server.virtual import GRAPH

if TYPE_CHECKING:
    from lsprotocol import types


def gets(actions: Actions, asked: types.Range) -> list[Json]:
    offset = actions.opened.offset(actions.result, asked.start)
    return [*_kernels(actions, offset), *_graph(actions, offset)]


def _graph(actions: Actions, offset: int) -> list[Json]:
    """The task graph around a place."""
    near = features.graph_near(actions.result.tu, offset)
    if near is None or not near[1]:
        return []
    place = near[0]
    if actions.unasked and not place.where.start <= offset <= place.where.end:
        return []
    return [_show("Show the task graph", {"uri": actions.opened.document.uri, "region": place.id, "device": GRAPH})]


def _kernels(actions: Actions, offset: int) -> list[Json]:
    opened, result = actions.opened, actions.result
    found = features.region_at(result.tu, offset)
    if found is None:
        return []
    item, region = found
    pragma = result.tu.locate(item, region.directive.span)
    if actions.unasked and not pragma.start <= offset <= pragma.end:
        return []
    client = opened.context.client
    if not client.asks_device or "ompls.preview" not in client.commands:
        return [_action(actions, device, region.id) for device in shown_devices(opened)]
    chosen = [_action(actions, device, region.id) for device in chosen_devices(opened)]
    argument = {"uri": opened.document.uri, "region": region.id, "choose": True}
    return [*chosen, _show("Show what another device gets\u2026", argument)]


def _action(actions: Actions, device: str, region: str) -> Json:
    price = actions.prices.get(device, {}).get(region)
    title = f"Show what {device} gets" + (f" ({price})" if price else "")
    return _show(title, {"uri": actions.opened.document.uri, "region": region, "device": device})


def _show(title: str, argument: Json) -> Json:
    return {
        "title": title, "kind": SHOW, "command": {"title": title, "command": "ompls.preview", "arguments": [argument]},
    }  # fmt: skip
