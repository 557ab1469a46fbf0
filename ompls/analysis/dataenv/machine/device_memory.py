"""Memory that the program manages itself on a device: what is filled, freed, and associated with host storage by hand.

By 5.2 §18.8.  The cases of such an object say in `host` whether anything has filled it, in `freed` whether it is gone.
"""

from __future__ import annotations

from ompls.analysis.dataenv.faults import CopyElements, DeviceGarbage, Event, FreedTwice, FreesHostMemory, OtherDevice
from ompls.analysis.dataenv.machine.cases import UNFILLED
from ompls.analysis.dataenv.machine.copies import CLEAN, MOST, Copies, Copy
from ompls.analysis.dataenv.machine.evaluate import Evaluator
from ompls.analysis.dataenv.machine.events import Outcome
from ompls.analysis.dataenv.machine.naming import name_of
from ompls.analysis.dataenv.machine.values import Loc, Obj, Site, Target, Value, at_start
from ompls.analysis.dataenv.machine.written import Lost
from ompls.analysis.dataenv.symbolic import ZERO, Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ctype import Array, Pointer
from ompls.analysis.model.layout import sizeof

_FILLED = frozenset((Copies(host="some"),))


class DeviceMemory(Evaluator):
    """What becomes of device memory."""

    def new_on_device(self, key: tuple[object, ...], size: Poly | None, device: Poly | None) -> Value:
        """`omp_target_alloc` of `size` bytes on a device."""
        assert self.now is not None
        changing = device is not None and device.symbols() & {loop.range.symbol for loop in self.loops}
        obj = Obj("device", key, size=size, device=None if changing else device)
        known = self.now.cases.get(obj)
        if obj in self.now.cases and not (known and all(c.freed for c in known)):
            self.now.many |= {obj}
        self.now.cases[obj] = UNFILLED
        return at_start(obj)

    def filled_on_device(self, targets: list[Obj] | None) -> None:
        """Something was stored there; None: in any of it."""
        assert self.now is not None
        if targets is None:
            self.beyond.add("fills")
            targets = [o for o, cases in self.now.cases.items() if o.kind == "device" and cases == UNFILLED]
        self.now.cases.update({o: _FILLED for o in targets if o.kind == "device" and not self.is_gone(o)})

    def in_device_memory(self, locs: list[Loc], node: ast.Node, read: bool, write: bool) -> None:
        """A region reads or writes there: is there anything?"""
        assert self.now is not None
        if read and self.region is not None and not self.region.quiet:
            empty = all(loc.obj not in self.now.many and self.now.cases.get(loc.obj) == UNFILLED for loc in locs)
            event = DeviceGarbage(self.site(node), name_of(node), "certain")
            self.judge(event, "bad" if empty else "fine")
        if write:
            self.filled_on_device([loc.obj for loc in locs])

    def of_another(self, event: Event, pointer: Value, device: Poly, by_default: bool = False) -> None:
        """Whether a device gets an address of another one; `by_default`: because it is the default device."""
        assert self.now is not None
        targets = [t.obj for t in pointer if t.obj.kind != "null"] if isinstance(pointer, frozenset) else []
        owners = [o.device for o in targets if o.kind in ("device", "lent") and o not in self.now.many]
        known = bool(owners) and len(owners) == len(targets)
        apart = known and all(owner is not None and (owner - device).constant not in (None, 0) for owner in owners)
        # which one is the default device, the environment says
        outcome: Outcome = "fine" if not apart else "perhaps" if by_default else "bad"
        self.judge(event, outcome)

    def is_gone(self, obj: Obj) -> bool:
        """Whether it has certainly been freed."""
        assert self.now is not None
        cases = self.now.cases.get(obj)
        return obj.kind == "device" and bool(cases) and obj not in self.now.many and all(c.freed for c in cases or ())

    def freed_at(self, locs: list[Loc]) -> Site | None:
        """Where all host storage that `locs` may be in was certainly freed; what is mapped still is another matter."""
        assert self.now is not None
        if any(not _is_one(loc.obj) or loc.obj in self.now.many for loc in locs):
            return None
        cases = [case for loc in locs for case in self.cases_of(loc.obj) or (CLEAN,)]
        found = [None if any(c.refs for c in case.copies) else case.freed for case in cases]
        return min(site for site in found if site is not None) if found and None not in found else None

    def is_unset(self, locs: list[Loc]) -> bool:
        """Whether a local variable has got no value on any path."""
        kinds = {loc.obj.kind for loc in locs}
        cases = [self.cases_of(loc.obj) for loc in locs]
        return kinds == {"variable"} and all(known and all(c.host == "no" for c in known) for known in cases)

    def free_on_device(self, pointer: Value, node: ast.Expr, device: Value) -> None:
        """`omp_target_free`."""
        assert self.now is not None
        targets = [t.obj for t in pointer if t.obj.kind != "null"] if isinstance(pointer, frozenset) else []
        elsewhere = isinstance(device, Poly) and (device.constant or 0) >= 0 and device.constant is not None
        if elsewhere and targets and all(o.kind in ("heap", "variable") for o in targets):
            self.judge(FreesHostMemory(self.site(node), name_of(node), "certain"), "bad")
            return
        if len(targets) != 1 or targets[0].kind != "device" or targets[0] in self.now.many:
            self.now.cases.update({o: None for o in targets if o.kind == "device"})
            return
        event: Event = FreedTwice(self.site(node), name_of(node), "certain")
        self.judge(event, "bad" if self.is_gone(targets[0]) else "fine")
        if isinstance(device, Poly):
            event = OtherDevice(self.site(node), name_of(node), "certain", (), "freed")
            self.of_another(event, pointer, device)
        self.now.cases[targets[0]] = frozenset((Copies(freed=self.site(node)),))

    def counts_elements(self, node: ast.Expr, loc: Loc, pointer: ast.Expr) -> None:
        """Whether a length in bytes is the number of elements in what `pointer` leads to."""
        t = pointer.type
        of = t.to if isinstance(t, Pointer) else t.of if isinstance(t, Array) else None
        element = None if of is None else sizeof(of, self.model)
        whole = loc.low == ZERO and loc.size is not None and bool(element) and element != 1
        meant = any(isinstance(n, ast.SizeOf) for n in node.walk())
        # `omp_target_alloc(320, dev)` may be of 320 bytes of which 40 are copied, or of 40 elements
        known = loc.size is None or loc.size.constant is None or loc.obj.kind == "variable"
        counted = known or _in_elements(loc.obj)
        wrong = whole and not meant and counted and loc.size * (element or 1) == loc.obj.size  # type: ignore[operator]
        self.judge(CopyElements(self.site(node), name_of(pointer), "certain"), "bad" if wrong else "fine")

    def associate(self, expr: ast.Call, args: list[Value]) -> bool:
        """`omp_target_associate_ptr(host, device_ptr, size, device_offset, device)`; whether it is followed."""
        assert self.now is not None
        host, there, size, _, device = args
        if not (isinstance(host, frozenset) and isinstance(size, Poly) and isinstance(device, Poly) and len(host) == 1):
            return False
        ((obj, at, _),) = host
        cases = self.cases_of(obj)
        if cases is None or at is None or obj in self.now.many or any(c.copies for c in cases):
            return False
        memory = [t.obj for t in there] if isinstance(there, frozenset) else []
        empty = bool(memory) and all(o.kind == "device" and self.now.cases.get(o) == UNFILLED for o in memory)
        self.filled_on_device(memory)  # from now on, what is copied to the host storage's copy gets there
        site = self.site(expr.args[0])
        copy = Copy(device, at, at + size, MOST, False, "no" if empty else "some", site, "associate")
        self.now.cases[obj] = frozenset([c._replace(copies=(copy,)) for c in cases])
        return True

    def disassociate(self, host: Value, node: ast.Expr) -> None:
        """`omp_target_disassociate_ptr`: nothing is copied."""
        for target in host if isinstance(host, frozenset) else ():
            self._alone(target, self.site(node))

    def _alone(self, target: Target, site: Site) -> None:
        assert self.now is not None
        cases = self.cases_of(target.obj)
        if cases is not None:
            self.now.cases[target.obj] = frozenset([_disassociated(c, site) for c in cases])


def allocation(key: tuple[object, ...], size: Poly | None, node: ast.Node) -> tuple[object, ...]:
    """The key of what `node` allocates; its last part says whether the size is so many elements, as it is written."""
    return (*key, size, any(isinstance(n, ast.SizeOf) for n in node.walk()))


def _is_one(obj: Obj) -> bool:
    """Whether it is one allocation, or what a pointer variable of the caller's leads to."""
    if obj.kind == "outside" and isinstance(obj.key, tuple):
        return obj.key[0].kind == "variable" and isinstance(obj.key[1], int)
    return obj.kind == "heap"


def _in_elements(obj: Obj) -> bool:
    return isinstance(obj.key, tuple) and obj.key[-1] is True


def _disassociated(case: Copies, site: Site) -> Copies:
    mine = [c for c in case.copies if c.how == "associate"]
    lost = tuple([Lost(w.range, w.site, site, "associate") for c in mine for w in c.ahead])
    return case._replace(copies=tuple([c for c in case.copies if c not in mine]), lost=lost or case.lost)
