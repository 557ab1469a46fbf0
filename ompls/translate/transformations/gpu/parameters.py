"""A kernel's parameters, and how each becomes the variable that the user's code names."""

from __future__ import annotations

from collections.abc import Collection

from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.ctype import INT, Array
from ompls.analysis.model.omp import Directive
from ompls.translate.covering import LONG_PART
from ompls.translate.ctext import flat, is_vla
from ompls.translate.plan import Param, RegionPlan
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.arrays import room
from ompls.translate.transformations.gpu.emitter import Emitter


class Parameters:
    """Of one kernel.  A parameter whose value is not the variable itself is called `ompls_p_NAME`.

    chain -- the directives of the construct (`chain_directives`)
    """

    def __init__(self, e: Emitter, plan: RegionPlan, chain: list[Directive]) -> None:
        self.e, self.plan, self.chain = e, plan, chain
        self.generic = plan.mode == "master_worker"

    def _renamed(self, p: Param) -> bool:
        return p.deref or p.copy or isinstance(p.type, Array) or p.symbol in self.e.team_shared

    def declared(self, p: Param) -> str:
        """The parameter in the kernel's head."""
        name = f"ompls_p_{p.name}" if self._renamed(p) and p.symbol is not None else p.name
        if p.kind == "part":
            return f"{'ompls_long_part' if p.type == LONG_PART else 'ompls_part'} {p.name}"
        if p.kind == "size" and p.type == INT:
            return f"ompls_extent {p.name}"
        if isinstance(p.type, Array):  # an array parameter would be a pointer
            return f"ompls_array<{self.e.types.cxx(p.type.of)}, {p.type.length}> {name}"
        if p.name in self.plan.only_read:
            name = f"OMPLS_RESTRICT {name}"
        elif p.name in self.plan.restrict:
            name = f"__restrict__ {name}"
        return self.e.types.cxx(flat(p.type), name)

    def promise(self) -> str:
        """A comment on the parameters with OMPLS_RESTRICT; "" without one."""
        names = [f"`{p.name}`" for p in self.plan.params if p.name in self.plan.only_read]
        if not names:
            return ""
        listed, them = f"{names[0]} is", "it"
        if len(names) > 1:
            listed, them = f"{', '.join(names[:-1])} and {names[-1]} are", "them"
        where = f"OMPLS_RESTRICT is __restrict__ where nothing that is written overlaps {them}"
        return f"// {listed} only read: {where}.\n"

    def variable(self, p: Param, reached: Collection[Symbol | None]) -> list[str]:
        """The statements that make it the user's variable.

        reached -- variables that the code reaches through their parameter: no name is needed
        """
        s = p.symbol
        if s is None or not self._renamed(p):
            return []
        source = f"ompls_p_{p.name}.v" if isinstance(p.type, Array) else f"ompls_p_{p.name}"
        if isinstance(s.type, Array) and is_vla(s.type):
            return self._variable_length(s, source) if p.copy else []
        if p.copy and s in self.e.references:
            why = "the teams share one copy" if p.league else "never written: no copy"
            return [f"{self._reference(s)} = *{source};  // firstprivate, {why}"]
        if p.copy and s not in self.e.team_shared:
            copied = f"memcpy(&{s.name}, {source}, sizeof {s.name});"
            return [f"{self.e.cxx(s.type, s.name)};  // firstprivate", copied]
        if p.deref:
            return [] if s in reached else [f"{self._reference(s)} = *{source};"]
        if s not in self.e.team_shared:
            return [f"{self._reference(s)} = {source};"]
        declared = f"__shared__ {self.e.cxx(s.type, s.name)};  // firstprivate in the region, shared by the team"
        at = source if p.copy else f"&{source}"
        whole = p.copy or isinstance(p.type, Array)
        value = f"memcpy(&{p.name}, {at}, sizeof {p.name});" if whole else f"{p.name} = {source};"
        return [declared, value if self.generic else f"if (omp_get_thread_num() == 0)\n{value}"]

    def _reference(self, s: Symbol) -> str:
        return self.e.types.reference(s.type, s.name)

    def _variable_length(self, s: Symbol, source: str) -> list[str]:
        """A copy of an array of variable length."""
        rows = self.plan.dims[s] if isinstance(s.type, Array) and is_vla(s.type.of) else []
        length = f"sizeof *{s.name} * {' * '.join([self.plan.outer[s], *rows])}"
        return [self.room(s), f"memcpy({s.name}, {source}, {length});"]

    def room(self, s: Symbol) -> str:
        """A private array of variable length.  Raises Problem where all threads of a team would have to reach it."""
        own = any(i.symbol is s and d.has("parallel") for d in self.chain for c in d.clauses for i in c.items)
        if not (self.generic or self.plan.single or own):
            why = "the threads of a team share it; copy it by hand"
            raise Problem(None, f"the variable-length array '{s.name}' of a region that is parallel as a whole", why)
        return room(self.e.types, s, self.plan.outer[s], self.plan.dims[s])
