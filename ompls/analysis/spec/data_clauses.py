"""The clauses that say how a variable is shared, and what their list items may be (OpenMP 5.2 §5.4, §5.5, §5.7)."""

from __future__ import annotations

# Of these a variable may stand in one on a directive (5.2 §5.4); firstprivate and lastprivate go together.
SHARING = frozenset(
    ("shared", "private", "firstprivate", "lastprivate", "reduction", "in_reduction", "linear", "induction")
)
# Their list items are whole variables; the others also take array sections or elements.
WHOLE = frozenset(
    (
        "shared",
        "private",
        "firstprivate",
        "lastprivate",
        "linear",
        "copyin",
        "copyprivate",
        "aligned",
        "nontemporal",
        "is_device_ptr",
        "use_device_ptr",
    )
)
# Elements and sections of variables, too.
PARTS = frozenset(("reduction", "in_reduction", "task_reduction", "has_device_addr", "use_device_addr"))
# Members, and what pointers lead to, too.
LOCATORS = frozenset(("map", "to", "from"))
# All that has an address.
LVALUES = frozenset(("depend", "affinity"))
# Their list items are storage; a name that is none is reported.
STORAGE = WHOLE | PARTS | LOCATORS | LVALUES | frozenset(("inclusive", "exclusive"))
REDUCING = frozenset(("reduction", "in_reduction", "task_reduction"))
# They write to their list items, which so may not be const.
WRITING = frozenset(("private", "lastprivate", "linear", "reduction", "in_reduction", "task_reduction"))
# These say that a variable is on the device; so one says it, and the variable is no copy of the host's.
ON_DEVICE = frozenset(("is_device_ptr", "has_device_addr", "use_device_ptr", "use_device_addr"))
# On a combined construct these are clauses of the constructs inside `target`, whatever `target` says of the variable.
BELOW_TARGET = frozenset(("shared", "private", "lastprivate", "linear"))
# A variable in one of these on `target` is not mapped as well.
NOT_MAPPED = frozenset(("private", "firstprivate", "is_device_ptr", "has_device_addr"))

# The reduction identifiers of the language and the types they combine: 'integer', 'real' (no complex), 'number'.
REDUCTIONS: dict[str, str] = {
    "+": "number", "-": "number", "*": "number", "&&": "number", "||": "number",
    "&": "integer", "|": "integer", "^": "integer", "min": "real", "max": "real",
}  # fmt: skip
