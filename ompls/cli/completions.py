"""`ompls completions SHELL`: a script that completes the command line, made from the parsers themselves.

bash: `eval "$(ompls completions bash)"` in ~/.bashrc; zsh: the same in ~/.zshrc, after compinit; fish: `ompls
completions fish > ~/.config/fish/completions/ompls.fish`.  The compiler's options are gcc's, and are not offered.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from typing import NamedTuple

_SHELLS = ("bash", "zsh", "fish")


class _Option(NamedTuple):
    """An option, or a command's words: what it takes, from `words` if there are any, else a file.

    names -- () for the words; takes -- 'nothing', 'perhaps' (glued with `=`), 'value'
    """

    names: tuple[str, ...]
    takes: str
    words: tuple[str, ...]
    help: str


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=_SHELLS, help="bash: eval it; zsh: eval it after compinit; fish: a file")


def run(arguments: argparse.Namespace) -> int:
    from ompls.cli import COMMANDS, parsers

    own = [name for name in COMMANDS if name != "cc"]  # its options are gcc's
    commands = {name: list(_options(parser)) for name, parser in parsers(own)[1].items()}
    make = {"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell]
    print("\n".join(make(commands, COMMANDS)))
    return 0


def _options(parser: argparse.ArgumentParser) -> Iterator[_Option]:
    formatter = parser._get_formatter()
    for action in parser._actions:
        takes = (
            "nothing" if action.nargs == 0 else "perhaps" if action.option_strings and action.nargs == "?" else "value"
        )
        text = formatter._expand_help(action) if action.help else ""
        names = tuple([name for name in action.option_strings if name.startswith("--")])
        if names or not action.option_strings:
            yield _Option(names, takes, tuple(_words(action)), text.partition(" (")[0])


def _words(action: argparse.Action) -> list[str]:
    from ompls.analysis.rules import GROUPS, RULES
    from ompls.project.devices import AUTO, registry

    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    rules, devices = [*GROUPS, *sorted(RULES)], list(registry().devices)
    if "--device" in action.option_strings:
        return [*devices, AUTO]
    return {"RULE": rules, "NAME": [*rules, *devices]}.get(str(action.metavar), [])


def _bash(commands: dict[str, list[_Option]], _: dict[str, str]) -> Iterator[str]:
    yield "_ompls() {"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""'
    yield "    COMPREPLY=()"
    yield '    if [ "$COMP_CWORD" -eq 1 ]; then'
    yield f'        COMPREPLY=($(compgen -W "{" ".join(commands)} --help --version" -- "$word")); return'
    yield "    fi"
    yield '    case "${COMP_WORDS[1]} $before" in'
    for name, found in commands.items():
        for option in found:
            if option.names and option.takes == "value":
                pattern = "|".join(f"{shlex.quote(f'{name} {n}')}" for n in option.names)
                reply = f'compgen -W "{" ".join(option.words)}"' if option.words else "compgen -f"
                yield f'        {pattern}) COMPREPLY=($({reply} -- "$word")); return;;'
    yield "    esac"
    yield '    case "${COMP_WORDS[1]}" in'
    for name, found in commands.items():
        options = " ".join(n for option in found for n in option.names)
        words = " ".join(w for option in found if not option.names for w in option.words)
        yield f'        {name}) case "$word" in -*) words="{options}";; *) words="{words}";; esac;;'
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield '    case "$word" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$word"));; esac'
    yield "}"
    yield "complete -o filenames -o bashdefault -F _ompls ompls"


def _zsh(commands: dict[str, list[_Option]], summaries: dict[str, str]) -> Iterator[str]:
    yield "#compdef ompls"
    yield "_ompls() {"
    yield "    if (( CURRENT == 2 )); then"
    said = " ".join(shlex.quote(f"{name}:{summaries[name]}") for name in commands)
    yield f"        local -a commands=({said})"
    yield "        _describe command commands; return"
    yield "    fi"
    yield "    shift words; (( CURRENT-- ))"
    yield "    case $words[1] in"
    for name, found in commands.items():
        yield f"    {name}) _arguments {' '.join(shlex.quote(spec) for option in found for spec in _specs(option))};;"
    yield "    esac"
    yield "}"
    yield "compdef _ompls ompls"


def _specs(option: _Option) -> Iterator[str]:
    values = f"({' '.join(option.words)})" if option.words else "_files"
    if not option.names:
        yield f"*:word:{values}"
    for name in option.names:
        text = "".join(f"\\{c}" if c in "[]:\\" else c for c in option.help)
        glued = {"nothing": "", "perhaps": "=-", "value": "="}[option.takes]
        yield f"*{name}{glued}[{text}]" + (f":value:{values}" if glued else "")


def _fish(commands: dict[str, list[_Option]], summaries: dict[str, str]) -> Iterator[str]:
    for name in commands:
        yield f"complete -c ompls -n __fish_use_subcommand -f -a {name} -d {_quoted(summaries[name])}"
    for name, found in commands.items():
        where = f"complete -c ompls -n '__fish_seen_subcommand_from {name}'"
        for option in found:
            words = f" -f -a {_quoted(' '.join(option.words))}" if option.words else ""
            if not option.names and words:
                yield where + words
            for long in option.names:
                needs = {"nothing": "", "perhaps": "", "value": " -r"}[option.takes]
                yield f"{where} -l {long[2:]}{needs}{words if needs else ''} -d {_quoted(option.help)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
