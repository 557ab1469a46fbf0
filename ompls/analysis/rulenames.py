"""The names of rules and groups, for settings: a rule is a file, so that none needs to be imported to know them."""

from __future__ import annotations

import os
import pkgutil
from functools import cache
from typing import Literal, get_args

from ompls.analysis.spec.near import near

Group = Literal[
    "mapping",
    "sharing",
    "structure",
    "declare-target",
    "device-limits",
    "performance",
    "portability",
    "style",
    "front-end",
]
GROUPS: tuple[Group, ...] = get_args(Group)
_RULES = os.path.join(os.path.dirname(__file__), "rules")


@cache
def modules() -> tuple[str, ...]:
    """The modules with a rule each, in the order of their names."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules([_RULES]) if not m.ispkg))


@cache
def rule_ids() -> frozenset[str]:
    """The id of each rule: its module's name with hyphens."""
    return frozenset(name.replace("_", "-") for name in modules())


def is_name(name: str) -> bool:
    """Whether settings and comments may name it: a rule or a group."""
    return name in rule_ids() or name in GROUPS


def near_ids(name: str) -> list[str]:
    """Rules and groups whose names are close to an unknown one."""
    return near(name, (*[module.replace("_", "-") for module in modules()], *GROUPS), 3)
