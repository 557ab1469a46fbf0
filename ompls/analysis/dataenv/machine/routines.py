"""What functions that are known by name do to memory: allocation, copies, the device routines of <omp.h>."""

from __future__ import annotations

from ompls.analysis.dataenv.called import touched_by
from ompls.analysis.dataenv.faults import (
    BeyondAllocation,
    Does,
    FreedUsed,
    FreeMapped,
    FreesDeviceMemory,
    OtherDevice,
    Seen,
    WrongSide,
)
from ompls.analysis.dataenv.machine.attachment import Attachments
from ompls.analysis.dataenv.machine.cases import ALL_CLEAN, UNFILLED, joined_cases
from ompls.analysis.dataenv.machine.copies import CLEAN, Copies
from ompls.analysis.dataenv.machine.device_memory import allocation
from ompls.analysis.dataenv.machine.events import Outcome
from ompls.analysis.dataenv.machine.naming import name_of
from ompls.analysis.dataenv.machine.values import Loc, Obj, Pointers, Target, Value, at_start, order
from ompls.analysis.dataenv.symbolic import ZERO, Opaque, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import VOID, Pointer
from ompls.analysis.spec.known import Arg, Known

INITIAL = Poly.of(Opaque("initial device", None, ()))
NUM_DEVICES = Opaque("omp_get_num_devices", None, ())
ON_HOST = Opaque("omp_is_initial_device", None, ())  # asked in a region: 0 when it runs on a device
_LOOKS = frozenset(("omp_target_associate_ptr", "omp_target_is_present", "omp_target_is_accessible"))
_COPIERS = frozenset(("omp_target_memcpy", "omp_target_memcpy_async"))


class Routines(Attachments):
    """`known_call` does what a known function does."""

    def known_call(self, name: str, row: Known | None, expr: ast.Call, args: list[Value]) -> tuple[bool, Value]:
        """(whether it is known what the function does, its result)."""
        if row is None or row.on_target or any(arg.device is not None for arg in row.reads):
            return self._device_routine(name, expr, args)
        if row.later or row.may_end or (row.number and name.startswith("omp_")):
            return self._device_routine(name, expr, args)
        if row.ends:
            self.now = None
            return True, None
        for arg, write in touched_by(expr, row):
            self.touched(expr, arg, args, write)
        result = args[row.returns] if row.returns is not None and row.returns < len(args) else None
        if row.allocates is not None:
            result = self.allocate(expr, _product(args, row.allocates.size), bool(row.allocates.filled))
            into = row.allocates.into
            if into is not None and into < len(args):
                locs = self.pointed(args[into], Pointer(VOID))
                self.store([Loc(loc.obj, loc.low, Poly.of(8), Pointer(VOID)) for loc in locs], result)
                result = Poly.of(0)
        if row.frees is not None and row.frees < len(args):
            self.free(args[row.frees], expr)
        return True, result

    def touched(self, expr: ast.Call, arg: Arg, args: list[Value], write: bool) -> None:
        """A library function reads or writes what an argument points to."""
        pointer, node = args[arg.at], expr.args[arg.at]
        if not isinstance(pointer, frozenset) or self.now is None:
            return
        self.soften_devices(frozenset([t for t in pointer if t.obj.kind == "lent"]))
        known = bool(arg.size and arg.exact)
        if write:
            if not known:  # more may be written than is known
                (self.soften if self.region is None else self.soften_devices)(pointer)
            self.unknown_cells(pointer, expr)
        if arg.sure:
            # of what is read the first byte is
            size = _product(args, arg.size) if known else None if write else Poly.of(1)
            locs = [Loc(at.obj, at.low if size is not None else None, size, VOID) for at in self.pointed(pointer, VOID)]
            self.access(locs, node, not write, write, through=False)

    def _device_routine(self, name: str, expr: ast.Call, args: list[Value]) -> tuple[bool, Value]:
        assert self.now is not None
        if not name.startswith("omp_"):
            return False, None
        if name == "omp_is_initial_device":
            return True, Poly.of(1) if self.region is None else Poly.of(ON_HOST)
        if name in ("omp_get_num_devices", "omp_get_initial_device"):
            if name == "omp_get_initial_device":
                return True, INITIAL
            self.sizes.add(NUM_DEVICES)
            return True, Poly.of(NUM_DEVICES)
        if name == "omp_get_default_device":
            return True, self.now.device
        if name == "omp_set_default_device" and args:
            self.now.device = args[0] if isinstance(args[0], Poly) else None
        elif name == "omp_target_alloc":
            on_host = len(args) > 1 and args[1] in (INITIAL, Poly.of(NUM_DEVICES), Poly.of(-1))
            if on_host:
                return True, self.allocate(expr, args[0] if isinstance(args[0], Poly) else None, False)
            size = args[0] if args and isinstance(args[0], Poly) else None
            self.is_size(size)
            device = args[1] if len(args) > 1 and isinstance(args[1], Poly) else None
            return True, self.new_on_device(allocation(self.key(expr), size, expr), size, device)
        elif name == "omp_target_free" and args:
            self.free_on_device(args[0], expr.args[0], args[1] if len(args) > 1 else None)
        elif name == "omp_target_disassociate_ptr" and args:
            self.disassociate(args[0], expr.args[0])
        elif name == "omp_target_associate_ptr" and len(args) == 5 and self.associate(expr, args):
            return True, None
        elif name in _COPIERS and len(args) >= 7:
            self.device_copy(expr, args)
        elif name == "omp_get_mapped_ptr" and args:
            self.soften_devices(args[0])
            return True, lent(args[0], args[1] if len(args) > 1 and isinstance(args[1], Poly) else None)
        elif name in _LOOKS and args:
            objs = [t.obj for t in args[0]] if isinstance(args[0], frozenset) else []
            self.recorder.asks(objs)
            self.forget(objs)
        elif name.startswith("omp_target_mem") and len(args) >= 2:
            for arg in args[:2]:
                if isinstance(arg, frozenset):
                    self.soften(arg)
                    self.soften_devices(arg)
        return True, None

    def device_copy(self, expr: ast.Call, args: list[Value]) -> None:
        """`omp_target_memcpy` (5.2 §18.8.5): what it reads and writes; whether device numbers and addresses fit."""
        length = args[2] if isinstance(args[2], Poly) else None
        for i, write in ((1, False), (0, True)):
            pointer, offset, device = args[i], args[3 + i], args[5 + i]
            targets = [t.obj for t in pointer] if isinstance(pointer, frozenset) else []
            device = INITIAL if device == Poly.of(NUM_DEVICES) or device == Poly.of(-1) else device
            local = bool(targets) and all(o.kind in ("heap", "variable") for o in targets)
            remote = bool(targets) and all(o.kind == "device" for o in targets)
            number = isinstance(device, Poly) and device != INITIAL and device.constant is not None
            name = name_of(expr.args[i])
            wrong = (remote and device == INITIAL) or (local and number)
            event = WrongSide(self.site(expr.args[i]), name, "certain", (), "device" if remote else "host")
            self.judge(event, "bad" if wrong else "fine")
            if remote and isinstance(device, Poly):
                other = OtherDevice(self.site(expr.args[i]), name, "certain", (), "copied")
                self.of_another(other, pointer, device)
            gone = remote and all(map(self.is_gone, targets))
            self.judge(FreedUsed(self.site(expr.args[i]), name, "certain"), "bad" if gone else "fine")
            locs = self.pointed(pointer, VOID)
            if isinstance(offset, Poly) and length is not None:
                locs = [Loc(loc.obj, loc.low and loc.low + offset, length, VOID) for loc in locs]
            else:
                locs = [Loc(loc.obj, None, None, VOID) for loc in locs]
            self.within(locs, expr.args[i])
            if len(locs) == 1:
                self.counts_elements(expr.args[2], locs[0], expr.args[i])
            if write:
                self.filled_on_device(targets or None)
            if local and (freed := self.freed_at(locs)) is not None:
                related = (Seen(freed, Does.FREED),)
                self.judge(FreedUsed(self.site(expr.args[i]), name, "certain", related, "copied"), "bad")
            if local and device == INITIAL:
                self.access(locs, expr.args[i], not write, write, through=False)
            else:
                self.soften(pointer)
                self.soften_devices(pointer)

    def within(self, locs: list[Loc], node: ast.Node) -> None:
        """Whether what is accessed lies in what was allocated."""
        if len(locs) == 1 and locs[0].obj.size is not None and (not self.region or not self.region.quiet):
            r = self.range_of(locs[0])
            beyond = locs[0].size is not None and self.is_outside(r.low, r.high, locs[0].obj.size)
            event = BeyondAllocation(self.site(node), name_of(node), "certain")
            self.judge(event, "bad" if beyond and r.sure else "fine")

    def is_outside(self, low: Poly | None, high: Poly | None, size: Poly | None) -> bool:
        return order(size, high, self.positive) == "<" or order(low, ZERO, self.positive) == "<"

    # --- storage

    def key(self, node: ast.Node) -> tuple[object, ...]:
        return (*self.frame.chain, self.frame.name, node.span.start)

    def allocate(self, node: ast.Node, size: Poly | None, filled: bool) -> Value:
        """Fresh storage of `size` bytes."""
        assert self.now is not None
        self.is_size(size)
        obj = Obj("heap", allocation(self.key(node), size, node), size=size)
        if self.region is not None:
            return at_start(Obj("device", self.key(node)))
        known = self.now.cases.get(obj, ALL_CLEAN)
        if obj in self.now.cases and not (known is not None and all(c.freed for c in known)):
            self.now.many |= {obj}
            self.now.cases[obj] = joined_cases(known, ALL_CLEAN if filled else UNFILLED)
            return at_start(obj)
        self.fresh(obj, filled)
        return at_start(obj)

    def free(self, pointer: Value, node: ast.Node) -> None:
        assert self.now is not None
        if not isinstance(pointer, frozenset) or self.region is not None:
            return
        targets = [t.obj for t in pointer if t.obj.kind != "null"]
        if targets and all(o.kind in ("device", "lent") for o in targets) and isinstance(node, ast.Call):
            self.judge(FreesDeviceMemory(self.site(node), name_of(node.args[0]), "certain"), "bad")
            return
        held = [
            None if case.freed else next((c for c in case.copies if c.refs and not (c.forever or c.lent)), None)
            for obj in targets
            for case in (self.now.cases.get(obj) or ())
        ]
        copy = next((c for c in held if c is not None), None)
        if (
            copy is not None
            and targets
            and not any(self.now.cases.get(o) is None for o in targets)
            and not any(self.in_part(t) for t in pointer)
        ):
            name = name_of(node.args[0]) if isinstance(node, ast.Call) and node.args else ""
            event = FreeMapped(self.site(node), name, "certain", (Seen(copy.origin, Does.MAPPED),), copy.how)
            ways = [case.way for obj in targets for case in (self.now.cases.get(obj) or ())]
            outcomes: list[Outcome] = ["bad" if c is not None else "fine" for c in held]
            self.judge(event, self.on_some_path(outcomes, ways, len(targets) == 1))
        for obj in targets:
            known = self.now.cases.get(obj) or ()
            gone = frozenset([Copies(copies=c.copies, freed=self.site(node)) for c in known or (CLEAN,)])
            one = len(targets) == 1 and not any(self.in_part(t) for t in pointer if t.obj == obj)
            self.now.cases[obj] = gone if one else joined_cases(self.cases_of(obj), gone)

    # --- whole blocks

    def unknown_cells(self, value: Value, by: ast.Call) -> None:
        """A function got the address of these objects."""
        assert self.now is not None
        objs = {t.obj for t in value} if isinstance(value, frozenset) else set()
        self.recorder.hands(objs)
        names = [(o, 0) for o in objs if o.symbol is not None and is_integer(o.symbol.type)]
        for cell in dict.fromkeys([*names, *[c for c in self.scanned() if c[0] in objs]]):
            symbol = cell[0].symbol
            number = symbol is not None and is_integer(symbol.type)  # `scanf("%d", &n)`
            atom = Opaque(f"{cell[0].key}@{self.frame.name}@{by.span.start}", None, ())
            self.now.cells[cell] = Poly.of(atom) if number else None

    def soften(self, pointer: Value) -> None:
        """Some code may have read and written host storage."""
        if isinstance(pointer, frozenset) and self.now is not None:
            for obj, _, _ in pointer:
                if self.now.cases.get(obj) is not None:
                    self.change(obj, _softened)

    def soften_devices(self, pointer: Value) -> None:
        """Some code may have read and written the devices' copies."""
        if isinstance(pointer, frozenset) and self.now is not None:
            self.filled_on_device([t.obj for t in pointer])
            for obj, _, _ in pointer:
                real = obj.of or obj
                if self.now.cases.get(real) is not None:
                    self.change(real, devices_softened)


def _softened(case: Copies) -> Copies:
    copies = tuple([c._replace(old=(), ahead=()) for c in case.copies])
    return case._replace(host="some" if case.host == "no" else case.host, copies=copies, lost=())


def devices_softened(case: Copies) -> Copies:
    """After code that has the device's address: it is likely to fill what is there."""
    copies = tuple(
        [
            c._replace(old=(), ahead=(), filled="yes" if c.filled == "yes" else "some", part=None, lent=True)
            for c in case.copies
        ]
    )
    return case._replace(copies=copies, lost=())


def lent(pointer: Value, device: Poly | None = None) -> Pointers | None:
    """The addresses on a device (None: that is not known) of what host pointers point to."""
    if not isinstance(pointer, frozenset):
        return None
    found = []
    for obj, at, _ in pointer:
        known = obj.kind in ("device", "lent", "null")
        found.append(Target(obj if known else Obj("lent", obj, obj.name, of=obj, device=device), at))
    return frozenset(found)


def _product(args: list[Value], factors: tuple[int, ...]) -> Poly | None:
    total = Poly.of(1)
    for i in factors:
        factor = args[i] if i < len(args) else None
        if not isinstance(factor, Poly):
            return None
        total = total * factor
    return total if factors else None
