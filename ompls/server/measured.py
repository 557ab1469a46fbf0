"""What a traced run measured, beside what the analysis says: hints at constructs, rows of the present tables.

The worker of a document keeps it as long as the text is the one that ran.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import islice

from ompls.analysis import features
from ompls.analysis.features.environment import Environment, Known, Passed
from ompls.analysis.features.inlay import Inlay
from ompls.analysis.source import Location
from ompls.server.convert import Json, Places
from ompls.server.opened import Opened, Result
from ompls.server.refusal import refuse
from ompls.traces.events import Unreadable
from ompls.traces.measured import Measured, measured, unspaced, visits
from ompls.traces.present import FOR_EVER, Row
from ompls.traces.regions import Region, advice
from ompls.traces.words import duration, size

_SHOWN = 8  # bytes of a value
_LATER = "'ompls run --trace FILE' and 'ompls report FILE --between FROM TO' show it"


def keep(opened: Opened, result: Result, params: Json) -> bool:
    """Read a trace of the document; False: its text has changed since it ran."""
    if params["version"] != result.version:
        return False
    try:
        opened.measured = result.version, measured(params["trace"], os.path.dirname(opened.document.path))
    except (Unreadable, OSError) as problem:
        raise refuse(f"the run was not measured: {problem}") from problem
    return True


def _of(opened: Opened, result: Result) -> Measured | None:
    version, found = opened.measured or (None, None)
    return found if version == result.version else None


# --- hints at constructs -----------------------------------------------------------------------------------------


def inlays(opened: Opened, result: Result, start: int, end: int) -> list[Inlay]:
    """A hint at each construct that ran, whose pragma ends within bytes [start, end]."""
    found = _of(opened, result)
    if found is None:
        return []
    total = sum(region.time for region in found.regions)
    hints = []
    for pragma in features.pragmas(result.tu.source):
        if pragma.call < 0 and start <= pragma.end <= end:
            place = _place(result, Location(result.tu.path, pragma.start, pragma.start))
            regions = [region for region in found.regions if region.place == place]
            if regions:
                why = "\n\n".join(_why(region, total) for region in regions)
                hints.append(Inlay(pragma.end, _label(regions), why))
    return hints


def _place(result: Result, where: Location) -> str:
    """As the trace names it."""
    return f"{where.path}:{result.lines.line_of(where.start) + 1}"


def _label(regions: list[Region]) -> str:
    said = ["; ".join(_parts(region)) for region in regions]
    if len(regions) > 1:
        said = [f"{region.device}: {text}" for region, text in zip(regions, said, strict=True)]
    return " │ ".join(said)


def _parts(region: Region) -> Iterable[str]:
    """Short, and what matters first: VS Code shows 43 characters of a line's hints."""
    if region.launches:
        each = duration(region.kernel_time // region.launches)
        yield each if region.launches == 1 else f"{region.launches} × {each}"
    if region.redundant_bytes:
        yield f"{size(region.redundant_bytes)} for nothing"
    ways = (("to", region.to_bytes), ("from", region.from_bytes))
    if travelled := [f"{way} {size(count)}" for way, count in ways if count]:
        yield ", ".join(travelled)
    if not region.launches and not travelled:
        yield "nothing was copied"


def _why(region: Region, total: int) -> str:
    times = f"kernels {duration(region.kernel_time)}, copies {duration(region.copy_time)}"
    said = [f"**Measured on {region.device}**: {times}"]
    return "\n".join([*said, *(f"* {text}" for text in advice(region, total))])


# --- present tables ----------------------------------------------------------------------------------------------


def beside(shown: Json, environment: Environment, opened: Opened, result: Result, asked: int | None) -> None:
    """Add what was measured to the answer about a place.  asked -- which time that the run came by, from 1."""
    found = _of(opened, result)
    passed, times = (None, []) if found is None else _times(found, environment, result)
    if found is None or passed is None:
        return
    line = result.lines.line_of(passed.where.start) + 1
    first = f"the first {len(found.events):,} events" if found.left_out else ""
    shown["measured"] = {"visit": 0, "visits": len(times), "location": opened.places(result).location(passed.where)}
    if not times:
        shown["measured"]["text"] = f"The run came by line {line} after {first}, which are read here: {_LATER}"
        return
    number = min(max(asked or len(times), 1), len(times))
    said = f"As it ran: in the construct of line {line}" if passed.inside else f"As it ran: after line {line}"
    said += f", {number} of {len(times)}" if len(times) > 1 or first else ""
    shown["measured"] |= {"visit": number, "text": said + (f" in {first}" if first else "")}
    event = times[number - 1]
    pair(shown, environment.rows, found.at(event), _Items(found, event, opened.places(result)))


def _times(found: Measured, environment: Environment, result: Result) -> tuple[Passed | None, list[int]]:
    """The nearest directive that the run came by, and the events then: none where they are all left out."""
    for passed in environment.passed:
        if passed.where.path == result.tu.path:
            place = _place(result, passed.where)
            times = visits(found.events, place, passed.inside)
            if times or place in found.places:
                return passed, times
    return None, []


class _Items:
    """Where the list items were that the analysis knows, up to an event of the run."""

    def __init__(self, found: Measured, event: int, places: Places) -> None:
        self._found, self._event, self._places = found, event, places

    def addresses(self, known: Known) -> list[int]:
        """Of what the row stands for, the likeliest first: those that its own name had, too."""
        hosts: dict[int, None] = {}
        for where, item in known.listed:
            hosts |= dict.fromkeys(self._found.of_item(self._place(where), item, self._event))
        named = set(self._found.of_name(known.row.name, self._event))
        return sorted(hosts, key=lambda host: host not in named)

    def one_of(self, row: Row, predicted: Iterable[Known]) -> str:
        """The predicted row of the same construct that stands for several pieces of storage; "" where none does."""
        several = (known for known in predicted if known.row.several)
        return next((k.row.section for k in several for where, _ in k.listed if self._place(where) == row.region), "")

    def _place(self, where: Location) -> str:
        """As the trace names it."""
        return f"{where.path}:{self._places.range(where)['start']['line'] + 1}"


def pair(shown: Json, known: Iterable[Known], tables: list[Row], items: _Items) -> None:
    """Put the measured rows beside the predicted ones, and those that were not predicted below."""
    predicted = iter(known)
    devices: dict[str, list[Row]] = {}
    for row in tables:
        devices.setdefault(row.device, []).append(row)
    for group in shown["devices"]:
        name = _named(group["device"], list(devices), len(shown["devices"]))
        rows = devices.pop(name, []) if name else []
        group["title"] += f" ({name})" if name else ""
        taken: list[Row] = []
        mine = list(islice(predicted, len(group["entries"])))
        for entry, one in zip(group["entries"], mine, strict=True):
            found = _beside(one, rows, taken, items)
            taken += [found] if found is not None else []
            _mark(entry, found, one.row.size)
        left = [row for row in rows if row not in taken]
        group["entries"] += [_only_measured(row, items.one_of(row, mine)) for row in left]
    for name, rows in devices.items():
        title = f"{name}, where the analysis knows of nothing"
        shown["devices"].append({"device": name, "title": title, "entries": [_only_measured(row) for row in rows]})


def _named(number: str, names: list[str], predicted: int) -> str:
    """Which measured device is meant by a number: several kinds of devices have other numbers in the program."""
    if len(names) == predicted == 1:
        return names[0]
    kinds = {name.rpartition(":")[0] for name in names}
    return f"{kinds.pop()}:{number}" if len(kinds) == 1 and number.isdigit() else ""


def _beside(known: Known, rows: list[Row], taken: list[Row], items: _Items) -> Row | None:
    """The measured row of the same storage.  Of several places (an item may have had more than one, in a loop, say) the
    one of the right size, and none that another row has got; by its spelling, where the run met no such item."""
    if addresses := items.addresses(known):
        there = [row for host in addresses for row in rows if row.host <= host < row.host + max(row.bytes, 1)]
        size = known.row.size
        return min(there, key=lambda row: (row in taken, size is not None and row.bytes != size), default=None)
    name = unspaced(known.row.section or known.row.name)
    return next((row for row in rows if unspaced(row.section) == name and row not in taken), None)


def _mark(entry: Json, row: Row | None, size: int | None) -> None:
    if row is None:
        entry |= {"measured": "not there", "differs": entry["certainty"] == "certain"}
        return
    whole = size is None or row.bytes >= size
    entry |= {"measured": _said(row), "differs": not (whole and _agrees(entry["references"], row.references))}


def _agrees(predicted: str, count: int) -> bool:
    numbers = [int(number) for number in re.findall(r"\d+", predicted)]
    if "infinite" in predicted and count == FOR_EVER:
        return True
    if not numbers:
        return predicted != "infinite"
    return count in numbers or ("more" in predicted and count >= max(numbers))


def _said(row: Row) -> str:
    references = "for ever" if row.references == FOR_EVER else f"references: {row.references}"
    said = [references, size(row.bytes)]
    if row.values:
        count = min(len(row.values) // 2, _SHOWN)
        more = " …" if row.bytes > count else ""
        said.append(f"begins with {' '.join(row.values[2 * n : 2 * n + 2] for n in range(count))}{more}")
    return "; ".join(said)


def _only_measured(row: Row, among: str = "") -> Json:
    """A row that was not predicted by itself.  among -- what stands for it"""
    return {
        "name": row.section, "section": row.section, "references": str(row.references), "bytes": size(row.bytes),
        "valid": [], "certainty": "measured", "attached": [], "label": row.section,
        "detail": f"one of those that {among} stands for" if among else "not predicted",
        "facts": [{"text": f"mapped at {row.region}"}] if row.region else [],
        "measured": _said(row), "differs": not among,
    }  # fmt: skip
