"""`ompls editor nvim`: the plugin in Neovim's packages."""

from __future__ import annotations

from pathlib import Path

from command import ompls

from ompls.cli.editor import PLUGIN

WHERE = ("nvim", "site", "pack", "ompls", "start", "ompls")


def test_it_is_installed_again_and_removed(tmp_path: Path) -> None:
    place, environment = tmp_path.joinpath(*WHERE), {"XDG_DATA_HOME": str(tmp_path)}
    for _ in range(2):
        done = ompls("editor", "nvim", "--install", env=environment)
        assert (done.returncode, done.stdout) == (0, f"installed {place}; in Neovim, ':help ompls' says more\n")
        files = {str(p.relative_to(PLUGIN)) for p in PLUGIN.rglob("*") if p.is_file()}
        assert {str(p.relative_to(place)) for p in place.rglob("*") if p.is_file()} >= {*files, "doc/tags"}
        (place / "lua" / "gone.lua").touch()  # of an older version
    assert ":Ompls\tompls.txt\t/*:Ompls*\n" in (place / "doc" / "tags").read_text()
    done = ompls("editor", "nvim", "--uninstall", env=environment)
    assert (done.returncode, done.stdout, place.exists()) == (0, f"removed {place}\n", False)
    done = ompls("editor", "nvim", "--uninstall", env=environment)
    assert (done.returncode, done.stdout) == (0, f"nothing to remove: there is no {place}\n")


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    place = tmp_path.joinpath(*WHERE)
    place.mkdir(parents=True)
    (place / "mine.vim").touch()
    for way in ("--install", "--uninstall"):
        done = ompls("editor", "nvim", way, env={"XDG_DATA_HOME": str(tmp_path)})
        said = f"cannot remove {place}: it is not the plugin of ompls; look at it, and remove it yourself"
        assert (done.returncode, done.stderr) == (2, f"ompls: error: {said}\n")
    assert (place / "mine.vim").exists()


def test_the_plugin_is_part_of_the_package() -> None:
    done = ompls("editor", "nvim", "--path")
    assert done.stdout == f"{PLUGIN}\n"
    assert {p.name for p in PLUGIN.iterdir()} == {"doc", "lsp", "lua", "plugin"}
