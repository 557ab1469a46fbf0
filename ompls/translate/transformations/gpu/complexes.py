"""Complex numbers of C as objects of the device library's class."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ompls.analysis.model import ast
from ompls.analysis.model.convert import unqualified
from ompls.translate.problem import Problem
from ompls.translate.transformations.gpu.sizes import is_complex

if TYPE_CHECKING:
    from ompls.translate.transformations.gpu.dialect import Dialect


def complex_number(d: Dialect, n: ast.Node) -> bool:
    """Complex numbers are objects of a class; whether nothing else has to be done about `n`."""
    if isinstance(n, ast.Unary) and n.op in ("__real__", "__imag__") and not n.postfix:
        part = "re" if n.op == "__real__" else "im"
        if is_complex(n.operand.type):
            d.rw.replace(n.span, "(", n.operand.span, f").{part}")
        else:
            d.rw.replace(n.span, "(", n.operand.span, ")" if part == "re" else ", 0)")
    elif isinstance(n, ast.FloatLiteral) and is_complex(n.type):
        number = re.sub(r"[iIjJ]", "", n.text)
        d.rw.replace(n.span, f"{d.types.cxx(n.type)}(0, {number})")
    elif isinstance(n, ast.Call) and isinstance(n.function, ast.Name) and n.function.name == "__builtin_complex":
        parts = [part for a in n.args for part in (a.span, ", ")][:-1]
        d.rw.replace(n.span, f"{d.types.cxx(n.type)}(", *parts, ")")
    elif isinstance(n, ast.Assign) and n.op != "=" and is_complex(n.value.type) and not is_complex(n.target.type):
        raise Problem(n.span, f"'{n.op}' of a complex number to a real one", "write the assignment out")
    elif isinstance(n, ast.Conditional) and n.then is not None and is_complex(n.type):
        for e in (n.then, n.otherwise):
            if unqualified(e.type) != unqualified(n.type):
                d.cast(e, n.type)
    elif isinstance(n, ast.Unary) and n.op in ("++", "--") and is_complex(n.operand.type):
        raise Problem(n.span, f"'{n.op}' of a complex number", "add 1")
    else:
        return False
    return True
