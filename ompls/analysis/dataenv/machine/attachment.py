"""Pointer members of structures on a device: whether they lead to the device's copy of what they point to.

A structure's bytes are copied as they are, so that a pointer in it keeps the host's address until it is attached: by a
list item that goes through it (`map(to: s.p[0:n])`; 5.2 §5.8.6), or by a region that assigns it.  That what it
points to is on the device, too, for another pointer's sake, changes nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ompls.analysis.dataenv.called import known_of, touched_by
from ompls.analysis.dataenv.faults import Does, Seen, Unattached
from ompls.analysis.dataenv.machine.copies import Copy
from ompls.analysis.dataenv.machine.device_memory import DeviceMemory
from ompls.analysis.dataenv.machine.naming import pointer_of
from ompls.analysis.dataenv.machine.values import Loc, Obj
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Node
from ompls.analysis.model.ctype import CType, Pointer, Record, held, innermost
from ompls.analysis.model.items import Group
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare, indexed, strip
from ompls.analysis.model.tu import Content

# what may write a pointer into a device's structure otherwise
_COPIED = (b"omp_target_memcpy", b"omp_target_associate_ptr", b"omp_get_mapped_ptr")
_ON_DEVICES = f"{__name__} on devices"  # under which it is kept what a function does where a region calls it


class Attached(NamedTuple):
    """What attaches pointer members in a part of the unit.

    members -- the names of those that list items name, and that regions assign; called -- functions that regions call
    copied -- whether the program copies to devices itself
    """

    members: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    copied: bool = False


_NOTHING = Attached()


def attached_by(
    directives: Iterable[Directive], groups: Iterable[Group], functions: Mapping[str, Content]
) -> frozenset[str] | None:
    """The names of members that something in the unit attaches; None: of any.  `directives`: those at file scope."""
    whole = _together([part for group in groups if (part := _in_group(group)) is not _NOTHING])
    if whole.copied:
        return None
    found, seen, ahead = set(whole.members).union(*map(_named, directives)), set[str](), list(whole.called)
    while ahead:
        name = ahead.pop()
        content = functions.get(name) if name not in seen else None
        seen.add(name)
        if content is not None and content.node is not None:
            kept = content.memo.get(_ON_DEVICES)
            if kept is None:
                kept = content.memo[_ON_DEVICES] = _given(content.node.walk())
            found |= kept
            ahead += [s.name for s in content.calls]
    return frozenset(found)


def _together(parts: list[Attached]) -> Attached:
    if not parts:
        return _NOTHING
    members, called, copied = zip(*parts, strict=True)
    return Attached(frozenset().union(*members), frozenset().union(*called), any(copied))


def _in_group(group: Group) -> Attached:
    """What attaches in the group; kept with it, and with its declarations."""
    kept: Attached | None = group.memo.get(__name__)
    if kept is None:
        parts = [part for content in group.contents if (part := _in_content(content)) is not _NOTHING]
        kept = group.memo[__name__] = _together(parts)
    return kept


def _in_content(content: Content) -> Attached:
    kept: Attached | None = content.memo.get(__name__)
    if kept is None:
        kept = content.memo[__name__] = _attached(content)
    return kept


def _attached(content: Content) -> Attached:
    copied = any(name in content.text for name in _COPIED)
    if not (copied or content.directives):
        return _NOTHING
    members, called = set[str](), set[str]()
    for stmt in content.directives:
        members |= _named(stmt.directive)
        if "target" in stmt.directive.name:
            nodes = stmt.nodes
            members |= _given([*nodes(ast.Assign), *nodes(ast.Unary), *nodes(ast.Call)])
            called.update([n.function.name for n in nodes(ast.Call) if isinstance(n.function, ast.Name)])
    found = Attached(frozenset(members), frozenset(called), copied)
    return found if any(found) else _NOTHING


def _named(directive: Directive) -> set[str]:
    items = (
        i.expr for c in directive.clauses for i in c.items if i.expr is not None and ("." in i.text or "->" in i.text)
    )
    return {n.field for expr in items for n in expr.walk() if isinstance(n, ast.Member)}


def _given(nodes: Iterable[Node]) -> frozenset[str]:
    """Pointer members that these nodes may give another value: by name, by address, or with the whole structure."""
    found = set[str]()
    for n in nodes:
        match n:
            case ast.Assign(target=ast.Member() as member) | ast.Unary(op="&", operand=ast.Member() as member):
                found |= {member.field} if isinstance(member.type, Pointer) else _pointers_in(member.type)
            case ast.Assign():
                found |= _pointers_in(n.target.type)
            case ast.Call() if (row := known_of(n)) is not None:
                for to in (strip(n.args[arg.at]) for arg, write in touched_by(n, row) if write):
                    found |= _pointers_in(to.type.to) if isinstance(to.type, Pointer) else set()
    return frozenset(found)


def _pointers_in(t: CType | None) -> set[str]:
    """The names of a structure's pointer members, also of those in structures in it."""
    records = [of for of in held(t) if isinstance(of, Record)] if t is not None else []
    return {f.name for record in records for f in record.body.fields or () if isinstance(innermost(f.type), Pointer)}


class Attachments(DeviceMemory):
    """`follows` checks an access through a pointer on a device."""

    @abstractmethod
    def never_attached(self, member: str) -> bool:
        """Whether nothing in the unit attaches members of that name."""

    def follows(self, locs: list[Loc], node: Node) -> None:
        """A region follows a pointer to `locs`."""
        assert self.region is not None
        member = member_followed(node)
        if member is None or self.region.quiet:
            return
        never = self.never_attached(member.field)
        if not never and not self.comes_alone(member):
            return
        if not all(loc.obj.kind in ("heap", "variable") and self._there(loc.obj) for loc in locs):
            return
        self.region.quiet += 1
        holders = self.places(member)
        self.region.quiet -= 1
        copies = [self._there(h.obj) for h in holders if h.obj not in self.region.local]
        if not never and not self._is_later(copies, [self._there(loc.obj) for loc in locs]):
            return
        if len(holders) == 1 and copies and copies[0] is not None:
            related = (Seen(copies[0].origin, Does.MAPPED_STRUCTURE),)
            self.judge(Unattached(self.site(node), pointer_of(node), "certain", related), "bad")

    def comes_alone(self, member: ast.Member) -> bool:
        """Whether nothing in the region or its directive sets the pointer of a structure that comes with it."""
        assert self.region is not None
        region = self.region.construct
        if region is None or self.followed_by_mappers or member.field in _named(region.directive):
            return False
        return member.field not in _given(region.stmt.walk())

    @property
    @abstractmethod
    def followed_by_mappers(self) -> bool:
        """Whether something else than list items may attach pointers."""

    def _is_later(self, holders: list[Copy | None], pointed: list[Copy | None]) -> bool:
        """Whether the structure came with the region, when what its pointer leads to was there already."""
        assert self.region is not None
        region = self.region.construct
        if region is None or not holders:
            return False
        start, end = region.directive.span

        def comes(copy: Copy | None) -> bool:
            at = copy.origin if copy is not None else None
            return at is not None and at.function == self.region_of and start <= at.span.start < end

        return all(map(comes, holders)) and not any(map(comes, pointed))

    @property
    def region_of(self) -> str:
        """The function that the region stands in."""
        assert self.region is not None
        return self.frames[self.region.frames - 1].name

    def _there(self, obj: Obj) -> Copy | None:
        """The copy that an object certainly has on the device."""
        assert self.region is not None
        device = self.region.device
        found = [
            next(
                (c for c in case.copies if c.device == device and c.refs and not (c.extra or c.forever or c.lent)), None
            )
            for case in self.cases_of(obj) or ()
        ]
        return found[0] if found and all(found) else None


def member_followed(node: Node) -> ast.Member | None:
    """The pointer member that an access follows last: `s.p` of `s.p[i]` and `*s.p`."""
    while isinstance(node, (ast.Paren, ast.Member, ast.Index, ast.Unary)):
        match node:
            case ast.Paren():
                node = node.inner
                continue
            case ast.Index():
                base = indexed(node)
            case ast.Member():
                base = node.base
            case _:
                base = node.operand
        base = bare(base)
        if isinstance(base.type, Pointer):
            return base if isinstance(base, ast.Member) else None
        node = base
    return None
