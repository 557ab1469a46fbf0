"""A kernel with its story: what the host does for it, how it is launched, and the source line before what it became.

Everything is a comment of the kernel's language, so the text still compiles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ompls.analysis.encoding import decoded
from ompls.analysis.model.datamodel import DataModel
from ompls.analysis.spec.devices import DeviceSpec
from ompls.translate.launch import Launch
from ompls.translate.output import OutLine, Places
from ompls.translate.plan import RegionPlan
from ompls.translate.structures import ItemPlan

_GRID_THREADS = "256"  # of a team in several dimensions when nobody says how many (runtime/core/geometry.c)
_CORES = "cores"  # as many threads as there are


def story(places: Places, plan: RegionPlan, device: DeviceSpec) -> list[OutLine]:
    """What happens each time the host reaches the construct, in order, as a table."""
    _, line = places.line(plan.item, plan.region.stmt.span.start)
    rows = [*_enter(plan, places.tu.model), ("launch", plan.kernel, "", _shape(plan, device)), *_leave(plan)]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    text = ["  ".join(cell.ljust(w) for cell, w in zip(row, (*widths, 0), strict=True)).rstrip() for row in rows]
    head = f"// Each time the host reaches line {line}:"
    return [OutLine(x) for x in (head, *(f"//   {row}" for row in text), "//")]


def interleaved(places: Places, lines: Iterable[OutLine]) -> Iterator[OutLine]:
    """`lines`, with the source lines as comments before the first of those that they became."""
    seen: set[tuple[str, int]] = set()
    rows: dict[str, list[bytes]] = {}  # of each file
    last = ("", 0)
    for x in lines:
        if x.line and x.text.strip() and (x.path, x.line) not in seen:
            indent = x.text[: len(x.text) - len(x.text.lstrip())]
            # What lies between two lines that became something is part of the second: the head of a loop, say.
            near = x.path == last[0] and 0 < x.line - last[1] <= _NEAR
            for line in range(last[1] + 1 if near else x.line, x.line + 1):
                if x.path not in rows:
                    rows[x.path] = places.texts.get(x.path, b"").splitlines()
                source = _source(rows[x.path], line)
                if (x.path, line) not in seen and _WORD.search(source) and source != x.text.strip():
                    yield OutLine(f"{indent}// {line} | {source}")
                seen.add((x.path, line))
            last = (x.path, x.line)
        yield x


_NEAR = 8
_WORD = re.compile(r"\w")


def _source(rows: list[bytes], line: int) -> str:
    # A backslash at its end would join the next line to the comment.
    return decoded(rows[line - 1]).strip().rstrip("\\").rstrip() if line <= len(rows) else ""


def _enter(plan: RegionPlan, model: DataModel) -> Iterator[tuple[str, str, str, str]]:
    for i in plan.items:
        yield "map", i.name, _size(i), _inwards(i) + _reason(plan, i)
    for p in plan.params:
        if p.kind == "original":
            yield "pass", p.name, f"{p.size(model)} bytes", "what the variable has before the region, for omp_orig"
        elif p.kind not in ("address", "part", "partials"):
            v = plan.region.variable(p.symbol) if p.symbol else None
            yield "pass", p.name, f"{p.size(model)} bytes", v.why if v else "the value of a clause"


def _leave(plan: RegionPlan) -> Iterator[tuple[str, str, str, str]]:
    for i in plan.items:
        if "LIST" in i.flags:
            yield "unmap", i.name, "", "each as its map type says"
            continue
        back = "copied back" if "FROM" in i.flags else "not copied back"
        yield "unmap", i.name, "", back if "ALWAYS" in i.flags else f"{back}; released, when nothing else maps it"


def _size(i: ItemPlan) -> str:
    if "LIST" in i.flags:
        return "as many as there are"
    return f"{_plain(i.size)} bytes"


def _inwards(i: ItemPlan) -> str:
    if "LIST" in i.flags:
        return "what its iterators or its mapper give, one by one"
    if "PART" in i.flags:
        return f"in the memory above; {'copied in' if 'TO' in i.flags else 'without a value'}, unless present"
    if "ZERO_LENGTH" in i.flags:
        return "looked up, never copied"
    if "PRESENT" in i.flags and "ALWAYS" not in i.flags:
        return "has to be present"
    what = "copied in" if "TO" in i.flags else "memory without a value"
    return what if "ALWAYS" in i.flags else f"{what}, unless present"


def _reason(plan: RegionPlan, i: ItemPlan) -> str:
    v = plan.region.variable(i.symbol) if i.symbol and "IMPLICIT" in i.flags else None
    return f" ({v.why.rstrip('.')})" if v else ""


def _shape(plan: RegionPlan, device: DeviceSpec) -> str:
    if plan.mode == "master_worker" and device.main_thread:
        return f"{_teams(plan.launch, '1')} of a master and 96 workers"
    threads = plan.launch.num_threads if plan.launch.num_threads != "0" else plan.launch.thread_limit
    if threads.isdigit() and 0 < device.threads < int(threads):
        threads = str(device.threads)  # it has no more
    if threads == "0" and not device.team:
        return f"{_teams(plan.launch, _CORES)} of as many threads as there are cores"
    if plan.launch.trips:
        return _grid(plan.launch, threads if threads != "0" else _GRID_THREADS)
    threads = threads if threads != "0" else str(device.team)
    if plan.launch.inside:  # an iteration is a team's, however many threads that has
        free = plan.launch.num_teams == "0" and plan.launch.trip_count != "0"
        teams = _plural(plan.launch.trip_count, "team") if free else _teams(plan.launch, "1")
        return f"{teams} of at most {_plural(threads, 'thread')}"
    return f"{_teams(plan.launch, threads)} of {_plural(threads, 'thread')}"


def _grid(launch: Launch, threads: str) -> str:
    """The teams of a kernel of several dimensions, for loops that are long enough."""
    sides = [threads, "1", "1"][: len(launch.trips)]
    if threads.isdigit() and int(threads) % 32 == 0:
        rest = int(threads) // 32
        layers = 2 if len(sides) == 3 and rest >= 8 and rest % 2 == 0 else 1
        sides = ["32", str(rest // layers), str(layers)][: len(sides)]
    if launch.num_teams != "0":
        teams = _plural(launch.num_teams, "team")
    elif "0" in launch.trips or not threads.isdigit() or any("({" in x for x in launch.trips):
        teams = "teams"
    else:
        per_side = zip(launch.trips, sides, strict=True)
        teams = " x ".join(f"{_grouped(_plain(trips))} / {side}" for trips, side in per_side) + " teams, rounded up,"
    shape = " x ".join(sides) if threads.isdigit() else " x ".join("xyz"[: len(sides)])
    return f"{teams} of {_plural(threads, 'thread')}: {shape} of them, other where loops are short"


def _teams(launch: Launch, threads: str) -> str:
    if launch.num_teams != "0":
        return _plural(launch.num_teams, "team")
    if launch.trip_count == "0" or threads == "1":
        return "as many teams as the device likes"
    return f"{_grouped(_plain(launch.trip_count))} / {_grouped(threads)} teams, rounded up,"


def _plural(count: str, what: str) -> str:
    return f"1 {what}" if count == "1" else f"{_grouped(_plain(count))} {what}s"


def _grouped(expression: str) -> str:
    return expression if expression.isalnum() else f"({expression})"


_NEEDLESS = re.compile(r"\(long long\)|(?<!\w)\((\w+)\)(?!\s*[\w(])")
_DOUBLE = re.compile(r"\((\((?:[^()]|\([^()]*\))*\))\)")
_FACTOR = re.compile(r"(?<![\w/%])(?<![/%] )\((\w+(?: ?\* ?\w+)+)\)(?= \*|\Z)")  # a product in a product


def _plain(expression: str) -> str:
    """Without the casts and parentheses that only a compiler needs."""
    before = ""
    while before != expression:
        before, expression = expression, _NEEDLESS.sub(lambda m: m[1] or "", expression)
        expression = _FACTOR.sub(r"\1", _DOUBLE.sub(r"\1", expression))
    inner = expression[1:-1]
    return (
        inner if expression.startswith("(") and expression.endswith(")") and not {"(", ")"} & {*inner} else expression
    )
