"""Random macro programs and random conditions mean what they mean to gcc."""

from __future__ import annotations

import random
import subprocess

import pytest
from gcc_tokens import tokens_of

from ompls.analysis.source import HeaderSnapshot, Macro
from ompls.analysis.syntax.preprocess import Preprocessor

HEADERS = HeaderSnapshot("random", predefined=(Macro("_OPENMP", None, "201511"),))
PROGRAMS = 80
PARAMETERS: dict[str, list[str] | None] = {
    "object": None, "none": [], "one": ["a"], "two": ["a", "b"], "variadic": ["a", "..."],
}  # fmt: skip


class Writer:
    """Writes one random program; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.names = [f"M{n}" for n in range(6)]
        self.kinds = {name: self.chance.choice(list(PARAMETERS)) for name in self.names}

    def program(self) -> str:
        lines = [self.definition(name) for name in self.names]
        pick = self.chance.choice
        lines += [f"{self.call()} ; {pick(['', '-' + pick(self.names), self.call()])}" for _ in range(6)]
        return "\n".join([*lines, ""])

    def definition(self, name: str) -> str:
        params = PARAMETERS[self.kinds[name]]
        words = [self.word(params or []) for _ in range(self.chance.randrange(7))]
        while words and words[-1] == "##":
            words.pop()
        while words and words[0] == "##":
            words.pop(0)
        body = ""
        for word in words:
            joined = body[-1:].isalnum() or body[-1:] == "_"
            body += (" " if joined and (word[0].isalnum() or word[0] == "_") else self.chance.choice(["", " "])) + word
        return f"#define {name}{'' if params is None else '(' + ','.join(params) + ')'} {body}"

    def word(self, params: list[str]) -> str:
        pick = self.chance.choice
        names = [p if p != "..." else "__VA_ARGS__" for p in params]
        kind = self.chance.random()
        if kind < 0.3:
            return pick(self.names)
        if kind < 0.62 and names:
            return pick(["", "", "", "#"]) + pick(names)
        if kind < 0.68:
            return "##"
        if kind < 0.85:
            return pick(["(", ")", ",", "( )", "(1)", "(x, y)"])
        return pick(["x", "1", "+", "_", "z9"])

    def call(self, depth: int = 0) -> str:
        pick = self.chance.choice
        name = pick(self.names)
        if self.chance.random() < 0.15 or depth > 3:
            return pick([name, "x", "2", "(x)", name + " "])
        if self.kinds[name] == "object" and self.chance.random() < 0.5:
            return name
        count = {"object": 1, "none": 0, "one": 1, "two": 2, "variadic": pick([1, 2, 3])}[self.kinds[name]]
        arguments = [" ".join(self.call(depth + 1) for _ in range(self.chance.randrange(3))) for _ in range(count)]
        return f"{name}{pick(['', ' ', chr(10)])}({pick([',', ', ']).join(arguments)})"


def gcc(source: str) -> tuple[str, str]:
    command = ["gcc", "-E", "-P", "-fopenmp", "-x", "c", "-"]
    result = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return result.stdout, result.stderr


def test_macros() -> None:
    compared = 0
    for seed in range(PROGRAMS):
        source = Writer(seed).program()
        expected, errors = gcc(source)
        if errors:
            continue  # a wrong number of arguments, a bad paste: gcc's recovery is its own
        compared += 1
        expanded = Preprocessor().run("random.c", source.encode(), HEADERS)
        assert tokens_of(expanded.text.decode()) == tokens_of(expected), f"seed {seed}:\n{source}"
        assert not expanded.notes
    assert compared > PROGRAMS // 8, "most programs are compared with nothing"


ATOMS = [
    "0", "1", "2u", "3", "-1", "0x7fffffffffffffff", "18446744073709551615u", "'a'", "N", "undefined", "defined N",
    "defined(undefined)", "07", "1ll", "64",
]  # fmt: skip


def expression(chance: random.Random, depth: int = 0) -> str:
    if depth > 4 or chance.random() < 0.25:
        return chance.choice(ATOMS)
    left, right = expression(chance, depth + 1), expression(chance, depth + 1)
    kind = chance.random()
    if kind < 0.15:
        return chance.choice(["!", "~", "-", "+"]) + f"({left})"
    if kind < 0.25:
        return f"({left} ? {right} : {expression(chance, depth + 1)})"
    operator = chance.choice(
        ["+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||"]
    )
    return chance.choice(["({} {} {})", "{} {} {}"]).format(left, operator, right)


@pytest.mark.parametrize("seed", range(4))
def test_conditions(seed: int) -> None:
    chance = random.Random(seed)
    expressions = [expression(chance) for _ in range(400)]
    lines = ["#define N 5"]
    for number, text in enumerate(expressions):
        lines += [f"#if {text}", f"yes{number}", "#else", f"no{number}", "#endif"]
    source = "\n".join([*lines, ""])
    expected, errors = gcc(source)
    rejected = {
        int(line.split(":")[1]) for line in errors.split("\n") if "error" in line and line.startswith("<stdin>")
    }
    expanded = Preprocessor().run("random.c", source.encode(), HEADERS)
    ours, theirs = expanded.text.decode().split(), expected.split()
    wrong = [
        f"{text}: {a} and not {b}"
        for number, (text, a, b) in enumerate(zip(expressions, ours, theirs, strict=True))
        if a != b and 5 * number + 2 not in rejected
    ]
    assert not wrong
    assert len(rejected) < 300
