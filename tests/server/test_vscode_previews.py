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


@needs_node
def test_a_task_graph_follows_both_ways() -> None:
    said = said_by("graph.mjs")
    drawn = {"head": "f: 3 tasks", "picture": "<svg/>"}
    at = lambda line: {"from": line, "to": line}  # noqa: E731
    assert said["opened"] == [["ompls.graph", True]]
    assert said["nonces"] == 1, "nothing runs in the page but its own script"
    assert [which for which, *_ in said["asked"]] == [5, "f_0", "f_0", 9, 15, 0, "x_0"]
    assert {(device, picture) for _, device, picture, _ in said["asked"]} == {("taskgraph", True)}
    fold = ["f:10:2:0"]
    assert [unfolded for *_, unfolded in said["asked"]] == [[], fold, fold, fold, fold, [], []]
    # opened, unfolded, broken by an edit; then the cursor moves on, and into the other graph, which has no picture
    assert said["told"] == [
        drawn, at(6), drawn, at(6), {"head": "// it does not parse"}, at(6), at(10), at(16),
        {"head": "g: not static\na.c:15: why\n", "picture": None}, at(16),
    ]  # fmt: skip
    assert said["title"] == "Task graph: g"
    assert said["selected"] == [["file:///w/a.c", 4]]
    assert said["informed"] == ["ompls: open a C file to see its task graphs.", "b.c has no task graph"]
    assert said["logged"] == ["b.c has no task graph"], "what nobody has asked for is refused in silence"
