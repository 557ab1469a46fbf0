"""Jumps that leave a statement."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model import ast


def ways_out(node: ast.Node, loop: bool = False, switch: bool = False) -> Iterator[ast.Stmt]:
    """The jumps that leave `node`, and the labels by which control may come in.  In a `loop` or `switch` of the same
    piece of code, `break` and `continue` stay inside."""
    waiting = [(node, loop, switch)]
    while waiting:
        node, loop, switch = waiting.pop()
        if isinstance(node, ast.Jump):
            if not ((node.kind == "break" and (loop or switch)) or (node.kind == "continue" and loop)):
                yield node
            continue
        if isinstance(node, ast.Labeled) or (isinstance(node, ast.Case) and not switch):
            yield node
        loop = loop or isinstance(node, (ast.For, ast.While, ast.DoWhile))
        switch = switch or isinstance(node, ast.Switch)
        waiting += [(child, loop, switch) for child in reversed(node.children())]
