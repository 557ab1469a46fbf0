"""Reading traces and showing them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

HEAD = {"ompls_trace": 1, "program": "saxpy"}
EVENTS = [
    {"t": 5, "thread": 1, "device": "cudasim:0", "region": "saxpy.c:9", "kind": "copy", "var": "x", "direction": "to",
     "bytes": 4096, "duration": 1500},
    {"t": 9, "thread": 1, "device": "cudasim:0", "region": "saxpy.c:9", "kind": "launch", "grid": [8, 1, 1],
     "block": [128, 1, 1], "duration": 2_000_000},
    {"t": 12, "thread": 1, "device": "cudasim:0", "region": "saxpy.c:9", "kind": "copy", "var": "x",
     "direction": "from", "bytes": 4096, "duration": 700},
]  # fmt: skip


END = {"t": 20, "thread": 1, "kind": "end"}


def _write(path: Path, head: object, events: list[dict[str, object]], tail: str = "") -> Path:
    path.write_text("\n".join(json.dumps(line) for line in [head, *events]) + "\n" + tail)
    return path


def test_report_shows_launches_and_copies(ompls, tmp_path: Path) -> None:
    done = ompls("report", _write(tmp_path / "t", HEAD, EVENTS))
    assert done.code == 0
    rows = [line.split() for line in done.out.splitlines()]
    region = ["saxpy.c:9", "cudasim:0", "1", "8", "128", "2.0", "ms", "2.2", "µs"]
    assert [*region, "4.0", "KiB", "4.0", "KiB", "0", "B", "100", "%"] in rows
    assert ["x", "cudasim:0", "to", "1", "4.0", "KiB", "1.5", "µs"] in rows
    assert "In all 4.0 KiB to devices, 4.0 KiB back." in done.out


def test_a_trace_that_was_cut_off_is_still_readable(ompls, tmp_path: Path) -> None:
    done = ompls("report", _write(tmp_path / "t", HEAD, EVENTS, tail='{"t": 15, "kin'))
    assert done.code == 0
    assert "saxpy.c:9" in done.out
    assert "The trace has no end: the program was ended in between, or the disk was full." in done.out
    assert "The trace has no end" not in ompls("report", _write(tmp_path / "u", HEAD, [*EVENTS, END])).out


def test_an_empty_trace_says_that_nothing_ran(ompls, tmp_path: Path) -> None:
    done = ompls("report", _write(tmp_path / "t", HEAD, []))
    assert "No launch of a region was recorded." in done.out
    assert "Nothing was copied." in done.out


def test_errors_of_the_run_are_shown(ompls, tmp_path: Path) -> None:
    event = {"t": 1, "kind": "error", "message": "saxpy.c:9: region on cudasim:0 read host address 0x10"}
    assert "read host address 0x10" in ompls("report", _write(tmp_path / "t", HEAD, [event])).out


def test_a_foreign_trace_costs_no_traceback(ompls, tmp_path: Path) -> None:
    events = [{"t": None, "kind": "copy", "bytes": "many", "duration": [1]}, {"t": "soon", "kind": "launch", "grid": 7}]
    path = _write(tmp_path / "t", HEAD, events, tail="[" * 100_000)
    done = ompls("report", path)
    assert (done.code, done.err) == (0, "")
    assert "In all 0 B to devices" in done.out


def test_what_is_not_a_trace_is_refused(ompls, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 not a trace")
    done = ompls("report", tmp_path / "photo.jpg")
    assert done.code == 2
    assert "it is not a trace of ours" in done.err
    newer = _write(tmp_path / "newer", {"ompls_trace": 7}, [])
    assert "version 7" in ompls("report", newer).err


def _event(kind: str, region: str, **fields: object) -> dict[str, object]:
    return {"t": 1, "device": "host:0", "region": region, "kind": kind, "duration": 1000, **fields}


def test_the_profile_says_what_was_for_nothing(ompls, tmp_path: Path) -> None:
    """Certain from the trace alone: data that came back before anything ran, data that nothing could have used."""
    x = {"var": "x[0:512]", "address": "0x10", "bytes": 4096}
    y = {"var": "y", "address": "0x20", "bytes": 1024}
    used = {"var": "used", "address": "0x30", "bytes": 2048}
    events = [
        _event("copy", "a.c:3", direction="to", **used),
        _event("copy", "a.c:3", direction="to", **x),
        _event("copy", "a.c:3", direction="from", **x),
        _event("free", "a.c:3", **x),
        _event("copy", "a.c:5", direction="to", **y),
        _event("free", "a.c:5", **y),
        _event("launch", "a.c:9", grid=[1, 1, 1], block=[1, 1, 1]),
        _event("copy", "a.c:9", direction="from", **used),
        _event("free", "a.c:9", **used),
    ]
    out = ompls("report", _write(tmp_path / "t", HEAD, events)).out
    assert "`x[0:512]`: 4.0 KiB came back as they were: `map(to: …)` is enough (rule map-more-than-needed)" in out
    assert "`y`: 1.0 KiB were copied to the device, and nothing ran before they were gone (rule unused-map)" in out
    assert "one thread of the device did all of the work (rule serial-kernel)" in out
    assert "`used`" not in out.partition("variable ")[0]


def test_the_profile_says_what_travelled_without_a_change(ompls, tmp_path: Path) -> None:
    """Only copies that follow one another are compared: without a content, one says nothing of the next, either."""
    x = {"var": "x", "host": "0x10", "address": "0x90", "bytes": 4096}
    launch = _event("launch", "a.c:3", grid=[9, 1, 1], block=[128, 1, 1])
    copies = [("to", "1"), ("from", "1"), ("to", "1"), ("from", "2"), ("to", ""), ("to", "2"), ("from", "3")]
    events = []
    for way, content in copies:
        events += [_event("copy", "a.c:3", direction=way, **x, **({"content": content} if content else {})), launch]
    events += [_event("alloc", "a.c:3", var="s", address="0x50", bytes=64)] * 7
    out = ompls("report", _write(tmp_path / "t", HEAD, events)).out
    assert "`x`: 4.0 KiB came back unchanged (once)" in out
    assert "`x`: 4.0 KiB were sent again unchanged (once)" in out
    assert re.search(r"8\.0 KiB +100 %", out)
    assert "Of 28.0 KiB that were copied, 24.0 KiB were compared" in out
    assert "`s` (64 B) was allocated 7 times" in out


def test_the_profile_finds_copies_in_a_loop(ompls, tmp_path: Path) -> None:
    x = {"var": "x", "address": "0x10", "bytes": 4096}
    one = [_event("copy", "a.c:3", direction="to", **x), _event("launch", "a.c:3", grid=[9, 1, 1], block=[128, 1, 1])]
    out = ompls("report", _write(tmp_path / "t", HEAD, [*one, *one, *one])).out
    assert "`x` (4.0 KiB) was copied to the device 3 times: a `target data` around the loop copies it once" in out
    out = ompls("report", _write(tmp_path / "t", HEAD, [*one, *one])).out
    assert "was copied" not in out


def test_advice_names_rules_that_exist() -> None:
    from ompls.analysis.rules import RULES
    from ompls.traces import regions

    named = re.findall(r"\(rule ([a-z-]+)\)", Path(regions.__file__).read_text())
    assert named
    assert set(named) <= set(RULES)


def test_the_page_stands_alone_and_shows_what_happened(ompls, tmp_path: Path) -> None:
    evil = {"t": 20, "kind": "copy", "device": "cudasim:0", "var": "<script>", "bytes": 1, "direction": "to"}
    head = {**HEAD, "command": ["/tmp/made/saxpy", "10 <b>"], "start": 1_700_000_000.5}
    loop = [*[{**EVENTS[0], "var": "<x>"}] * 3, EVENTS[1]]
    path = _write(tmp_path / "t", head, [*EVENTS, evil, *loop])
    assert ompls("report", path, "--html", tmp_path / "page.html").code == 0
    text = (tmp_path / "page.html").read_text()
    assert "saxpy.c:9" in text
    assert "<p><code>saxpy &#39;10 &lt;b&gt;&#39;</code>, 2023-11-1" in text
    assert (
        "<li><code>&lt;x&gt;</code> (4.0 KiB) was copied to the device 3 times: a <code>target data</code> around"
        in text
    )
    assert "`" not in text.partition('<script type="module">')[0]
    assert "<script>" not in text
    assert "default-src 'none'" in text
    assert "://" not in text, "nothing is loaded from elsewhere"
    assert ompls("report", path, "--html", tmp_path / "no" / "page.html").code == 2


def test_the_page_is_written_whole_or_not_at_all(process, tmp_path: Path) -> None:
    trace, page = _write(tmp_path / "t", HEAD, EVENTS), tmp_path / "page.html"
    page.write_text("old")
    limited = ("import resource, sys\n"
               "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
               "from ompls.cli import main\nsys.exit(main(sys.argv[1:]))\n")  # fmt: skip
    words = [sys.executable, "-B", "-c", limited, "report", trace, "--html", page]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ompls: error: cannot write {page}: File too large")
    assert page.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["page.html", "t"]
    piped = process("report", trace, "--html", "/dev/stdout")
    assert (piped.code, process("report", trace, "--html", page).code) == (0, 0)
    assert piped.out == page.read_text()


def test_a_long_trace_makes_a_short_page(ompls, tmp_path: Path) -> None:
    events = [{**EVENTS[1], "t": 1000 * i, "duration": 900} for i in range(20_000)]
    ompls("report", _write(tmp_path / "t", HEAD, events), "--html", tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size < 400_000


def _data(page: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*)</script>', page.read_text())
    assert found is not None
    return json.loads(found[1])


def test_the_page_names_a_command_as_a_shell_takes_it(ompls, tmp_path: Path) -> None:
    for name, word in (("a b;c", "'a b;c'"), ("-x", "./-x"), ("t", "t")):
        trace = _write(tmp_path / name, HEAD, EVENTS)
        assert ompls("report", "--html", tmp_path / "page.html", "--", trace).code == 0
        assert _data(tmp_path / "page.html")["command"] == f"ompls report {word}"


def test_a_long_trace_is_shown_in_pieces_of_time(ompls, tmp_path: Path) -> None:
    events = [{**EVENTS[1], "t": 1000 * i, "duration": 900} for i in range(20_000)]
    ompls("report", _write(tmp_path / "t", HEAD, events), "--html", tmp_path / "page.html")
    data = _data(tmp_path / "page.html")
    assert (data["span"], data["bucket"]) == (19_999_900, 20_000)
    assert [bar for lane in data["lanes"] if lane["kind"] == "kernels" for bar in lane["bars"]][:2] == [
        [0, 20_000, 0, "", 0, 20, 18_000],
        [20_000, 20_000, 0, "", 0, 20, 18_000],
    ]
    assert "The trace is long: the time axis has pieces of 20.0 µs." in (tmp_path / "page.html").read_text()


def test_the_page_has_the_source_of_c_files_only(ompls, tmp_path: Path) -> None:
    """A trace may be somebody else's: it cannot make the page tell what is in other files of ours."""
    (tmp_path / "a.c").write_text("int a;\n")
    (tmp_path / "key").write_text("hidden\n")
    (tmp_path / "late.c").write_text("int late;\n")
    os.utime(tmp_path / "a.c", (1000, 1000))
    names = ["a.c", "key", "late.c", "gone.c"]
    launches = [{**EVENTS[1], "region": f"{tmp_path / name}:1"} for name in names]
    path = _write(tmp_path / "t", {**HEAD, "start": 2000}, launches)
    ompls("report", path, "--html", tmp_path / "page.html")
    sources = {Path(name).name: source for name, source in _data(tmp_path / "page.html")["sources"].items()}
    assert sources["a.c"] == {"lines": {"1": "int a;"}}
    assert sources["key"]["lines"] == sources["gone.c"]["lines"] == {}
    assert sources["late.c"]["note"] == "changed since the run: lines may not be those that ran"


def test_a_run_records_for_chrome(process, tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(
        "int main(void) {\n  int n = 1;\n  #pragma omp target map(tofrom: n)\n  n++;\n  return n - 2;\n}\n"
    )
    done = process("run", "--device", "host", "--trace", tmp_path / "t.json", "--trace-format", "chrome", source)
    assert done.code == 0, done.err
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    launch = next(e for e in events if e.get("cat") == "launch")
    assert launch["ph"] == "X"
    assert launch["name"].endswith("x.c:3")
    assert {e["name"] for e in events if e["ph"] == "M"} == {"process_name", "thread_name"}
    assert [e for e in events if e["name"] == "copy n"]


def test_a_run_keeps_the_first_bytes_of_items_but_needs_none(process, tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(
        "#include <sys/mman.h>\n"
        "int main(void) {\n"
        "  int n = 1, *p = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
        "  #pragma omp target map(tofrom: n) map(alloc: p[0:4])\n  n = p[0] = 0x01020304;\n"
        "  return n != 0x01020304;\n}\n"
    )
    trace = tmp_path / "t"
    done = process("run", "--device", "host", "--trace", trace, "--trace-values", "3", source)
    assert done.code == 0, done.err
    kept = [json.loads(line) for line in trace.read_text().splitlines()]
    assert [(e["direction"], e["values"]) for e in kept if e.get("kind") == "copy"] == [
        ("to", "010000"), ("from", "040302"),
    ]  # fmt: skip
    assert not [e for e in kept if "values" in e and e["var"] != "n"]
    assert len([e for e in kept if e.get("var") == "p[0:4]"]) > 1
    for words, why in ((["--trace-values", "3"], "there is no trace"), (["--trace-values", "1025"], "up to 1024")):
        assert why in process("run", *words, source).err
