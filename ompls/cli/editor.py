"""`ompls editor nvim`: puts the plugin for Neovim where Neovim finds it, or takes it away again.

This package carries it.  The plugin learns which `ompls` has installed it, so that
Neovim finds the server in any environment.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

from ompls.cli.problem import Problem
from ompls.runtime.errors import RuntimeProblem
from ompls.runtime.home import under_home

PLUGIN = Path(__file__).parents[1] / "editors" / "nvim"
_OURS = "lsp/ompls.lua"  # a folder without it is not ours to remove
_INSTALLED = "lua/ompls/installed.lua"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("editor", choices=["nvim"], help="nvim: Neovim 0.11 or later")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--install", action="store_true", help="install the plugin, or bring it up to date")
    way.add_argument("--uninstall", action="store_true", help="remove it")
    way.add_argument("--path", action="store_true", help="print where it lies in this package, for a plugin manager")


def run(arguments: argparse.Namespace) -> int:
    if arguments.path:
        print(PLUGIN)
        return 0
    place = _place()
    if arguments.install:
        _install(place)
        print(f"installed {place}; in Neovim, ':help ompls' says more")
    elif _remove(place):
        print(f"removed {place}")
    else:
        print(f"nothing to remove: there is no {place}")
    return 0


def _place() -> Path:
    """Neovim's own package directory (`:help packages`); its plugins are loaded at every start."""
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    name = os.environ.get("NVIM_APPNAME") or "nvim"
    if data == "~" or data.startswith("~/"):
        try:
            data = under_home(data[2:], "XDG_DATA_HOME")
        except RuntimeProblem as problem:
            raise Problem(str(problem)) from problem
    return Path(data).expanduser() / name / "site" / "pack" / "ompls" / "start" / "ompls"


def _install(place: Path) -> None:
    _remove(place)
    try:
        shutil.copytree(PLUGIN, place)
        (place / "doc" / "tags").write_text(_tags(place / "doc" / "ompls.txt"))
        if command := _command():
            (place / _INSTALLED).write_text(f"-- Written by `ompls editor nvim --install`.\nreturn [==[{command}]==]\n")
    except OSError as problem:
        raise Problem(f"cannot write {place}: {problem.strerror}; set XDG_DATA_HOME to where Neovim looks") from problem


def _remove(place: Path) -> bool:
    """Whether there was something to remove.  Raises Problem for what we did not put there."""
    if not place.exists():
        return False
    if not (place / _OURS).is_file():
        raise Problem(f"cannot remove {place}: it is not the plugin of ompls; look at it, and remove it yourself")
    try:
        shutil.rmtree(place)
    except OSError as problem:
        raise Problem(f"cannot remove {place}: {problem.strerror}; remove it yourself") from problem
    return True


def _tags(manual: Path) -> str:
    """What `:helptags` would write: Neovim looks a subject up there."""
    found = sorted(re.findall(r"(?<!\S)\*(\S+)\*(?!\S)", manual.read_text("utf-8")))
    return "".join(f"{tag}\t{manual.name}\t/*{tag}*\n" for tag in found)


def _command() -> str:
    """The script that was started, or the one on the PATH; "" when there is none."""
    for file in (sys.argv[0], shutil.which("ompls") or ""):
        if os.path.basename(file) == "ompls" and os.path.isfile(file) and os.access(file, os.X_OK):
            return os.path.abspath(file)
    return ""
