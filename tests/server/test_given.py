"""What holds for a file is made once for all files with the same project file and folder."""

from __future__ import annotations

from pathlib import Path

from ompls.server.given import Given


def test_files_of_a_project_share_their_settings(tmp_path: Path) -> None:
    project = tmp_path / ".ompls.toml"
    project.write_text('openmpVersion = "5.0"\n')
    given = Given(print)
    first, second = (str(tmp_path / name) for name in ("a.c", "b.c"))
    assert given.settings_for(first) is given.settings_for(second)
    assert given.settings_for(first).openmp_version == "5.0"
    project.write_text('openmpVersion = "4.5"\nflags = ["-DN"]\n')
    assert given.settings_for(first).openmp_version == "4.5"
    given.configure({"openmp_version": "5.1"}, {str(tmp_path / "inner"): {"openmp_version": "4.0"}})
    assert given.settings_for(first).openmp_version == "5.1"
    assert given.settings_for(str(tmp_path / "inner" / "c.c")).openmp_version == "4.0"
    project.unlink()
    assert given.settings_for(first).flags == ()
