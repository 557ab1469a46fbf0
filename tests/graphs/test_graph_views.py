"""What editors show of task graphs: lenses, the text that follows edits, the code action.  Asked of a document's worker
without a process, as the server does."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ompls.analysis import features
from ompls.analysis.features import taskgraphs
from ompls.analysis.graphs import find
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.source import EMPTY_SNAPSHOT
from ompls.server.answers import METHODS
from ompls.server.documents import Change
from ompls.server.messages import Context, Open
from ompls.server.opened import Opened, Result
from ompls.server.refusal import Refused
from ompls.server.settings import Settings
from ompls.server.work import Deadline, analyse, judge

URI = "file:///t/a.c"
TEXT = """\
enum { N = 3 };
static int kept = 2;
int a[9];
void piece(int i) {
#pragma omp task depend(inout: a[i])
    a[i]++;
}
void known(void) {
#pragma omp taskgraph nogroup
    for (int i = 0; i < N; i++) {
#pragma omp target nowait depend(inout: a[0]) map(a)
        a[0]++;
    }
}
void calls(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < kept; i++)
            piece(i);
#pragma omp task depend(in: a[0])
        a[3]++;
    }
}
void unknown(int n) {
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout: a[i])
        a[i]++;
    }
}
void plain(void) { a[0] = 1; }
"""


class Document:
    def __init__(self, text: str = TEXT) -> None:
        self.opened = Opened(Open(URI, "/t/a.c", 1, b"", "utf-8", 1, Context(), Settings()))
        self.write(text)

    def write(self, text: str) -> None:
        opened, self.text = self.opened, text
        opened.document.apply(1, [Change(text)])
        tu = analyse(opened.analyzer, "/t/a.c", opened.document.source, EMPTY_SNAPSHOT, opened.meant, Deadline(1000.0))
        self.result = Result(1, 1, tu, opened.document.lines, judge(tu, EMPTY_SNAPSHOT, opened.settings), 0.0)

    def replace(self, old: str, new: str) -> None:
        assert old in self.text
        self.write(self.text.replace(old, new))

    def ask(self, method: str, params: Any) -> Any:
        return json.loads(b"".join(METHODS[method].text(self.opened, self.result, params)))

    def lenses(self) -> list[tuple[int, str, str]]:
        """Line from 1, title, graph."""
        found = []
        for lens in self.ask("textDocument/codeLens", {}):
            (argument,) = lens["command"]["arguments"]
            if argument["device"] == "taskgraph":
                assert (lens["command"]["command"], argument["uri"]) == ("ompls.preview", URI)
                found.append((lens["range"]["start"]["line"] + 1, lens["command"]["title"], argument["region"]))
        return found

    def graph(self, **params: Any) -> Any:
        return self.ask("ompls/preview", {"textDocument": {"uri": URI}, "device": "taskgraph", **params})

    def actions(self, line: int, trigger: int) -> list[str]:
        place = SimpleNamespace(line=line - 1, character=4)
        context = SimpleNamespace(only=["ompls.show"], diagnostics=[], trigger_kind=trigger)
        params = SimpleNamespace(range=SimpleNamespace(start=place, end=place), context=context)
        found = self.ask("textDocument/codeAction", (params, {}))
        return [a["command"]["arguments"][0]["region"] for a in found if a["title"] == "Show the task graph"]


def test_lenses_say_how_large_a_graph_is_or_why_there_is_none() -> None:
    document = Document()
    assert document.lenses() == [
        (5, "Task graph: not static (`a[i]` is not known when compiling: `i` is a parameter)", "piece_0"),
        (9, "Task graph: 3 tasks, 3 levels", "known_0"),
        (18, "Task graph: 3 tasks, 2 levels", "calls_0"),
        (
            26,
            "Task graph: not static (the trip count of `i` depends on `n`, which is a parameter)",
            "unknown_0",
        ),
    ]
    document.replace("N = 3", "N = 4")
    assert document.lenses()[1][1] == "Task graph: 4 tasks, 4 levels"
    long = "n" * 200
    document.replace("int n)", f"int {long})")
    document.replace("i < n", f"i < {long}")
    assert len(document.lenses()[3][1]) == len("Task graph: not static ()") + taskgraphs.LONG


def test_a_setting_switches_the_lenses_off() -> None:
    document = Document()
    settings = document.opened.settings
    document.opened.settings = replace(settings, lens=replace(settings.lens, graph=False))
    assert document.lenses() == []


def test_what_a_graph_does_not_depend_on_leaves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Followed anew are the graphs whose function, callees or kept values have changed: the others are as they were."""
    followed: list[str] = []
    before = find.Expansion.run
    monkeypatch.setattr(find.Expansion, "run", lambda self, f, s: followed.append(f.symbol.name) or before(self, f, s))
    document = Document()
    document.lenses()
    for old, new, anew in (
        ("a[0] = 1;", "a[0] = 12;", []),
        ("void plain", "\n\nvoid plain", []),
        ("a[i]++;\n}\nvoid known", "a[i]--;\n}\nvoid known", ["calls", "piece"]),
        ("a[3]++", "a[3]--", ["calls"]),
        ("a[0] = 12;", "kept = 1;", []),  # as the rules have it, who do not ask what others assign
    ):
        followed.clear()
        document.replace(old, new)
        lenses = document.lenses()
        assert sorted(set(followed)) == anew, new
        assert lenses == Document(document.text).lenses()
    assert "`kept`, which may change" in lenses[2][1]


def test_lenses_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """All graphs of a file may take what one may; of those behind these nothing is said."""
    monkeypatch.setattr(taskgraphs, "MOST_STEPS", 10)
    assert [title for _, title, _ in Document().lenses()] == [
        "Task graph: not static (`a[i]` is not known when compiling: `i` is a parameter)",
        "Task graph: 3 tasks, 3 levels",
        "Task graph",
        "Task graph",
    ]  # fmt: skip


def test_a_graph_of_a_header_has_no_lens() -> None:
    """Its place is in another file."""
    tu = Analyzer().analyze("/t/a.c", TEXT.encode(), EMPTY_SNAPSHOT, Settings().for_analysis())
    assert len(list(features.graph_lenses(tu))) == len(features.graph_places(tu)) == 4


GRAPH = """\
known: 3 tasks, 3 levels, 2 edges, 1 in the largest, 36 bytes mapped at once
 * level 1  0: target, line 11 [i=0]
 * level 2  1: target, line 11 [i=1]  after 0 (a[0])
 * level 3  2: target, line 11 [i=2]  after 1 (a[0])
"""


def test_the_text_is_linked_with_the_source() -> None:
    document = Document()
    made = document.graph(region="known_0")
    assert (made["uri"], made["text"]) == ("ompls-preview://taskgraph/t/a.c/known_0.txt", GRAPH)
    assert (made["lineMap"], made["languageId"]) == ([[1, 9], [2, 11], [3, 11], [4, 11]], "plaintext")
    for line, graph, held in (
        (3, "piece_0", False),
        (10, "known_0", True),
        (21, "calls_0", True),
        (99, "unknown_0", False),
    ):
        made = document.graph(position={"line": line - 1, "character": 0})
        assert (made["region"], made["held"]) == (graph, held)
    assert document.graph(region="calls_0")["lineMap"][1] == [2, 5], "a task of a function that is called is there"
    made = document.graph(region="unknown_0")
    assert made["text"] == "unknown: not static\na.c:26: the trip count of `i` depends on `n`, which is a parameter\n"
    assert made["lineMap"] == [[1, 27], [2, 26]]


def test_the_picture_is_folded_above_some_tasks_and_unfolded_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document()
    monkeypatch.setattr(taskgraphs, "MOST_SHOWN", 2)
    document.replace("depend(inout: a[0])", "depend(inout: a[i % 2])")
    folded = document.graph(region="known_0", picture=True)["picture"]
    assert re.findall(r'<g data-line="(\d+)"', folded) == ["11", "11"]
    assert ("2 × target, line 11" in folded, folded.count("<path")) == (True, 1)
    (key,) = re.findall(r'data-fold="([^"]*)"', folded)
    whole = document.graph(region="known_0", picture=True, unfolded=[key, "gone"])["picture"]
    assert (whole.count("<g "), whole.count("<path"), "data-fold" in whole) == (3, 1, False)
    assert document.graph(region="unknown_0", picture=True)["picture"] is None
    assert "picture" not in document.graph(region="known_0")


def test_a_picture_puts_what_waits_behind_what_it_waits_for() -> None:
    document = Document()
    document.replace("a[3]++;", "a[3]++;\n#pragma omp taskwait\n")
    picture = document.graph(region="calls_0", picture=True)["picture"]
    columns = [int(x) for x in re.findall(r'<rect x="(\d+)"', picture)]
    assert [columns[k] < columns[k + 1] for k in (0, 2)] == [False, True], "two tasks at once; then the wait for them"


def test_what_is_not_there_is_said() -> None:
    document = Document()
    for params, why in (
        ({"region": "known_7"}, "a.c has no task graph 'known_7'; it has piece_0, known_0, calls_0, unknown_0"),
        ({"region": "gone_0"}, "a.c has no task graph 'gone_0'"),
    ):
        with pytest.raises(Refused, match=why):
            document.graph(**params)
    document.write("int x;\n")
    with pytest.raises(Refused, match=r"a.c has no task graph: no `taskgraph`, and no tasks with `depend`"):
        document.graph()


def test_while_the_source_does_not_parse_the_last_graph_stays() -> None:
    document = Document()
    document.graph(region="known_0")
    document.replace("a[0]++;\n    }\n}\nvoid calls", "a[0]+ ;\n    }\n}\nvoid calls")
    made = document.graph(region="known_0")
    head, _, text = made["text"].partition("\n")
    assert (text, made["stale"]) == (GRAPH, True)
    assert head.endswith("this is the last graph before that.")


def test_the_code_action_is_offered_around_a_graph() -> None:
    """An editor that asks by itself hears of it at its beginning only."""
    document, by_user, by_itself = Document(), 1, 2
    lines = (9, 12, 20, 31)
    assert [document.actions(line, by_user) for line in lines] == [["known_0"], ["known_0"], ["calls_0"], []]
    assert [document.actions(line, by_itself) for line in lines] == [["known_0"], [], [], []]
