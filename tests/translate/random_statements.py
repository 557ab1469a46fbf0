"""Random C statements over `random_expressions`: declarations, loops, jumps, switches, shadowing."""

from __future__ import annotations

from random_expressions import FLOATS, INTEGERS, Maker, Scope


class Statements(Maker):
    def declaration(self, scope: Scope) -> str:
        kind = self.r.choice((*INTEGERS, "_Bool", "enum color", "float", "double"))
        # A name that is there already is hidden in inner blocks.
        used = [n for n in scope.names if n.startswith("v") and n not in scope.own]
        hide = scope.depth > 1 and used and self.r.random() < 0.3
        name = self.r.choice(used) if hide else self.fresh("v")
        if kind in FLOATS:
            init = f"(int)({self.floating(scope)}) % 1000 + 0.25"
        elif kind == "enum color":
            init = f"{self.expr(scope)} & 1 ? GREEN : RED"
        else:
            init = f"({self.expr(scope)}) & 0x7f"
        if hide and name in init:
            init = "3"
        scope.names[name] = kind
        scope.own.add(name)
        scope.fixed.discard(name)
        return f"{kind} {name} = {init};"

    def block(self, scope: Scope, size: int = 3, jumps: bool = True) -> str:
        inside = scope.child()
        out = [self.declaration(inside)] if self.r.random() < 0.6 and scope.depth < 4 else []
        out += [self.statement(inside, jumps) for _ in range(self.r.randrange(1, size + 1))]
        return "{\n" + "\n".join(out) + "\n}"

    def assignment(self, scope: Scope) -> str:
        names = [n for n in scope.names if n not in scope.fixed]
        if not names:
            return ";"
        name = self.r.choice(names)
        return self.assign(scope, name, scope.names[name])

    def statement(self, scope: Scope, jumps: bool = True) -> str:
        if scope.depth >= 4 or self.r.random() < 0.5:
            return self.assignment(scope)
        e = self.expr(scope, 2)
        k = self.r.randrange(12)
        if k < 2:
            other = f" else {self.block(scope)}" if self.r.random() < 0.5 else ""
            return f"if ({e})\n{self.block(scope)}{other}"
        if k == 2:
            return f"if ({e})\n{self.assignment(scope)}\nelse if ({self.expr(scope, 1)})\n{self.assignment(scope)}"
        if k < 5:
            return self.loop(scope)
        if k < 7:
            return self.switch(scope, e)
        if k == 7 and scope.loops and jumps:
            return f"if ({e})\n{self.r.choice(('break', 'continue'))};"
        if k == 8 and jumps:
            label = self.fresh("label")
            passed = f"int {self.fresh('w')} = {self.expr(scope, 1)} & 7;"
            return f"if ({e})\ngoto {label};\n{passed}\n{self.assignment(scope)}\n{label}:;"
        if k == 9 and scope.record:
            return f"{scope.record} = {scope.record}.i & 1 ? made({e} & 255) : {scope.record};"
        if k == 10 and scope.record:
            return (
                f"{{ record *p = &{scope.record}; p->bits.a += {e}; p->in.c[{e} & 1]--; p->w.u ^= {e}; p->e = GREEN; }}"
            )
        return self.block(scope)

    def loop(self, scope: Scope) -> str:
        inside = scope.child()
        inside.loops += 1
        k = self.fresh("k")
        inside.names[k] = "int"
        inside.fixed.add(k)
        times = self.r.randrange(1, 5)
        body = self.block(inside)
        form = self.r.randrange(4)
        if form == 0:
            return f"{{ int {k} = 0; while ({k}++ < {times}) {body} }}"
        if form == 1:
            return f"{{ int {k} = {times}; do {body} while (--{k} > 0); }}"
        if form == 2:
            return f"EVERY({k}, {times}) {body}"
        return f"for (int {k} = {times}; {k}; {k}--) {body}"

    def switch(self, scope: Scope, e: str) -> str:
        inside = scope.child()
        inside.loops = 0
        out = f"switch (({e}) & 3) {{\n"
        for k in range(self.r.randrange(1, 4)):
            out += f"case {k}: {self.assignment(inside)}\n"
            if self.r.random() < 0.3:
                out += f"int {self.fresh('w')} = 5;\n"
            out += "break;\n" if self.r.random() < 0.6 else ""
        if self.r.random() < 0.6:
            out += f"default: {self.block(inside, 2, jumps=False)}\n"
        return out + "}"
