"""How previews of the extension for VS Code follow the cursor, on node."""

from __future__ import annotations

from .test_vscode_features import needs_node, said_by


@needs_node
def test_a_preview_follows_into_regions_only() -> None:
    said = said_by("previews.mjs", "follows")
    assert said["shown"] == ["f_0", "g_0", "f_0"]
    assert [what for _, what in said["asked"]] == [5, 9, 15, 9, 0, 20, 5]


@needs_node
def test_a_preview_follows_into_another_file_and_says_which() -> None:
    said = said_by("previews.mjs", "elsewhere")
    assert said["titles"] == ["a.c: f_0 (cuda)", "b.c: g_0 (cuda)"]
    assert [what for _, what in said["asked"]] == [5, 9, 15], "one that is pinned asks nobody"
    assert said["coloured"] == [[15], [2]]


@needs_node
def test_what_is_shown_alone_is_not_coloured() -> None:
    said = said_by("previews.mjs", "colours")
    assert said["both"] == [[5], [2]]
    assert said["alone"] == []
    assert said["again"] == [5]
    assert said["preview"] == []


@needs_node
def test_an_answer_that_nobody_waits_for_moves_no_preview() -> None:
    said = said_by("previews.mjs", "late")
    assert said["shown"] == ["f_0"]
    assert [what for _, what in said["asked"]] == [5, 15, 15, 15]


@needs_node
def test_devices_that_cannot_be_asked_for_are_told() -> None:
    said = said_by("previews.mjs", "refused")
    assert said["errors"] == ["ompls/devices: no server"] * 3
    assert "unheard" not in said


@needs_node
def test_a_preview_whose_source_was_closed_stays_as_it_is() -> None:
    said = said_by("previews.mjs", "fetched")
    assert said["open"] == "asked for"
    assert said["closed"] == ["as it was", "asked for"]
