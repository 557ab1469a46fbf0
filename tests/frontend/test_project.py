"""Files, overlays, flags and header snapshots."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from damage import DAMAGES, forms_of, rewritten
from waiting import LIMIT

from ompls.analysis.syntax.preprocess import Expanded, Preprocessor
from ompls.project import compiler
from ompls.project.cache import DiskCache
from ompls.project.files import MAX_BYTES
from ompls.project.flags import allowed
from ompls.project.problem import EnvironmentProblem, FileProblem
from ompls.project.skeleton import Directives
from ompls.project.workspace import Workspace

HEADERS = b"#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n#include <omp.h>\n"


def expand(workspace: Workspace, path: Path, source: bytes | None = None) -> Expanded:
    data = source if source is not None else workspace.read(str(path))
    return Preprocessor().run(str(path), data, workspace.snapshot(str(path), data, workspace.flags(str(path))))


# -- reading -----------------------------------------------------------------------------------------------------------


def make(path: Path, kind: str) -> None:
    if kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(50 << 20)
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "binary":
        path.write_bytes(b"\x7fELF\0\0\1")
    elif kind == "utf-16":
        path.write_bytes("int a;\n".encode("utf-16"))


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("missing", "no such file"),
        ("directory", "is a directory"),
        ("fifo", "is not a regular file"),
        ("huge", f"50.0 MB are more than the {MAX_BYTES >> 20} MB"),
        ("loop", "too many symbolic links"),
        ("binary", "is a binary file"),
        ("utf-16", "is UTF-16"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, kind: str, reason: str) -> None:
    path = tmp_path / "file.c"
    make(path, kind)
    with pytest.raises(FileProblem) as caught:
        Workspace([str(tmp_path)]).read(str(path))
    assert reason in caught.value.reason
    assert str(caught.value) == f"{path}: {caught.value.reason}; {caught.value.hint}"


def test_unreadable_file(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = tmp_path / "file.c"
    path.write_bytes(b"")
    path.chmod(0)
    with pytest.raises(FileProblem, match="permission denied"):
        Workspace([str(tmp_path)]).read(str(path))


def test_path_with_nul(tmp_path: Path) -> None:
    with pytest.raises(FileProblem):
        Workspace([str(tmp_path)]).read("a\0b.c")


def test_latin1_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.c"
    path.write_bytes(b"int a; // caf\xe9\n")
    assert Workspace([str(tmp_path)]).read(str(path)) == b"int a; // caf\xe9\n"


@pytest.mark.parametrize("operand", ['"x.h"', "<x.h>"])
@pytest.mark.parametrize("gone", range(5))
def test_headers_are_found_where_gcc_finds_them(tmp_path: Path, operand: str, gone: int) -> None:
    """In all of the directories but the first so many in which gcc looks for `"x.h"`; `src` is the main file's own."""
    places = ["src", "quote", "angle", "system", "after"]
    for number, name in enumerate(places):
        (tmp_path / name).mkdir()
        if number >= gone:
            (tmp_path / name / "x.h").write_text(f"#define V {name}\n")
    flags = [f"-I{tmp_path}/angle"]
    for option, name in (("-idirafter", "after"), ("-isystem", "system"), ("-iquote", "quote")):
        flags += [option, f"{tmp_path}/{name}"]
    main = tmp_path / "src/main.c"
    main.write_text(f"#include {operand}\nV\n")
    told = subprocess.run(["gcc", "-E", "-P", *flags, main], capture_output=True, text=True, check=True).stdout
    assert expand(Workspace([str(tmp_path)], tuple(flags)), main).text.decode().split() == told.split()


def test_an_open_buffer_wins_over_the_disk(tmp_path: Path) -> None:
    main, header = tmp_path / "main.c", tmp_path / "h.h"
    main.write_bytes(b'#include "h.h"\nV\n')
    header.write_bytes(b"#define V disk\n")
    workspace = Workspace([str(tmp_path)])
    before = workspace.snapshot(str(main), workspace.read(str(main)))
    assert expand(workspace, main).text.split() == [b"disk"]
    workspace.open(str(header), b"#define V buffer\n")
    workspace.open(str(main), b'#include "h.h"\nV here\n')
    assert expand(workspace, main).text.split() == [b"buffer", b"here"]
    workspace.close(str(header))
    workspace.close(str(main))
    assert expand(workspace, main).text.split() == [b"disk"]
    header.write_bytes(b"#define V changed\n")
    os.utime(header, (1, 1))
    assert expand(workspace, main).text.split() == [b"changed"]
    assert workspace.snapshot(str(main), workspace.read(str(main))).key != before.key


def test_a_buffer_that_was_never_saved(tmp_path: Path) -> None:
    workspace = Workspace([str(tmp_path)])
    workspace.open(str(tmp_path / "new.h"), b"int new;\n")
    assert expand(workspace, tmp_path / "main.c", b'#include "new.h"\n').text.split() == [b"int", b"new;"]


# -- flags -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("-Iinc -I inc2 -I/abs", "-I/base/inc -I/base/inc2 -I/abs"),
        ("-iquote q -isystem s", "-iquote /base/q -isystem /base/s"),
        ("-DA -D B=1 -UC -U D", "-DA -DB=1 -UC -UD"),
        ("-include pre.h -include sub/pre.h", "-include pre.h -include /base/sub/pre.h"),
        ("-std=c23 -std=gnu23 -fopenmp=libomp -fopenmp-version=51", "-std=c2x -std=gnu2x -fopenmp"),
        ("-std=c11 -std=gnu++17 -ansi -x ada -x c -x c++", "-std=c11 -ansi -x c -x c++"),
        ("-fopenmp -fno-openmp -fopenmp-simd", "-fopenmp -fno-openmp -fopenmp-simd"),
        ("-march=native -m64 -mavx2 -marchive", "-march=native -m64 -mavx2"),
        ("-B/tmp -specs=x -wrapper a,b -fplugin=x.so @file -I@x -D @x -o out -c main.c -O2", ""),
        ("-imacros x.h -include-pch p -I- -Xpreprocessor -DX -fopenmp-targets=cudasim", "-DX"),
        ("-idirafter d -Wp,-DY,-U,Z -Wp,-MMD,x.d -Wp,-fplugin=x.so", "-idirafter /base/d -DY -UZ"),
        ("-Xclang -include-pch -Xclang p.h.pch -Xclang -include -Xclang /p.h", "-include /p.h"),
        ("-D", ""),
    ],
)  # fmt: skip
def test_allow_list(given: str, kept: str) -> None:
    assert " ".join(allowed(given.split(), "/base")) == kept


def test_compile_database(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "src" / "deep").mkdir(parents=True)
    main = tmp_path / "src" / "deep" / "main.c"
    database = tmp_path / "build" / "compile_commands.json"
    entries = [
        {"directory": str(tmp_path), "file": "other.c", "command": "evil -DOTHER other.c"},
        {"directory": str(tmp_path / "src"), "file": "deep/main.c", "arguments": ["x", "-Iinc", "-DA=1", "-fplugin=x"]},
        {"nonsense": True}, 5,
    ]  # fmt: skip
    database.write_text(json.dumps(entries))
    workspace = Workspace([str(tmp_path)], ["-DEXPLICIT"])
    assert workspace.flags(str(main)) == (f"-I{tmp_path}/src/inc", "-DA=1", "-DEXPLICIT")
    assert workspace.flags(str(tmp_path / "unknown.c")) == ("-DEXPLICIT",)
    (tmp_path / "src" / "compile_flags.txt").write_text("# mine\n-DFROM_FILE\n-I\ninc\n-D X=1\n@evil\n")
    assert workspace.flags(str(main)) == ("-DFROM_FILE", f"-I{tmp_path}/src/inc", "-DX=1", "-DEXPLICIT")
    (tmp_path / "src" / "compile_flags.txt").unlink()
    database.write_text('[{"file": "src/deep/main.c", "directory": "..", "command": "cc -DQ=\\"a b\\""}]')
    os.utime(database, (1, 1))
    assert workspace.flags(str(main)) == ("-DQ=a b", "-DEXPLICIT")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not JSON (Expecting value: line 1)"),
        ("[\n{", "is not JSON (Expecting property name enclosed in double quotes: line 2)"),
        ("[" * 99999, "is not JSON"),
        ("{}", "is no list of commands"),
        ("null", "is no list of commands"),
        ('[{"file": 3}]', ""),
        ('[{"file": "main.c", "command": "\'"}]', ""),
    ],
)
def test_broken_compile_database(tmp_path: Path, text: str, why: str) -> None:
    database = tmp_path / "compile_commands.json"
    database.write_text(text)
    workspace = Workspace([str(tmp_path)])
    assert workspace.flags(str(tmp_path / "main.c")) == ()
    said = f"{database}: {why}; have your build system write it again"
    assert [str(problem) for problem in workspace.problems.values()] == ([said] if why else [])
    database.write_text("[]")
    os.utime(database, (1, 1))
    assert workspace.flags(str(tmp_path / "main.c")) == ()
    assert not workspace.problems, "it was mended"


@pytest.mark.parametrize("name", ["compile_commands.json", "compile_flags.txt"])
def test_flags_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    workspace = Workspace([str(tmp_path)])
    assert workspace.flags(str(tmp_path / "main.c")) == ()
    (problem,) = workspace.problems.values()
    assert str(problem) == f"{tmp_path / name}: is not a regular file; put a file there"


# -- header snapshots --------------------------------------------------------------------------------------------------


def test_snapshot_of_system_headers(tmp_path: Path) -> None:
    workspace = Workspace([str(tmp_path)])
    snapshot = workspace.snapshot(str(tmp_path / "main.c"), HEADERS)
    assert list(snapshot.system) == ["<stdio.h>", "<stdlib.h>", "<math.h>", "<omp.h>"]
    assert "extern int printf (" in snapshot.system["<stdio.h>"].text
    assert "# 1" not in snapshot.system["<stdio.h>"].text
    assert any(op.name == "RAND_MAX" for op in snapshot.system["<stdlib.h>"].ops if not isinstance(op, str))
    assert {"__GNUC__", "_OPENMP"} <= {macro.name for macro in snapshot.predefined}
    assert not snapshot.missing
    assert not workspace.problems
    assert workspace.snapshot(str(tmp_path / "main.c"), HEADERS + b"int x;\n") is snapshot


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#define _GNU_SOURCE\n#include <math.h>\nM_PIl", "3.141592653589793238462643383279502884L"),
        ("#include <math.h>\nM_PIl", "M_PIl"),
        ("#ifdef FLAG\n#include <limits.h>\n#endif\nCHAR_BIT", "8"),
        ("#ifdef NO_FLAG\n#include <limits.h>\n#endif\nCHAR_BIT", "CHAR_BIT"),
        ('#include "wrapper.h"\nCHAR_BIT WRAPPED', "8 1"),
        ("#define NDEBUG\n#include <assert.h>\nassert(x)", "((void) (0))"),
        ("#define WHICH <limits.h>\n#include WHICH\nCHAR_BIT", "8"),
        ("#if __has_include(<limits.h>) && !__has_include(<no.h>) && __has_include(\"wrapper.h\")\nyes\n#endif", "yes"),
        ('#include "once.h"\n#include "once.h"\n', "int once;"),
        ("#include <own.h>\nOWN", "own"),
        ("#if 1 /* a\n#include <nowhere.h> */\nx\n#endif\n#endif\n#include <limits.h>\nCHAR_BIT", "x 8"),
        ("_OPENMP FLAG", "202111 1"),
    ],
)  # fmt: skip
def test_includes(tmp_path: Path, source: str, expected: str) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "own.h").write_text("#define OWN own\n")
    (tmp_path / "wrapper.h").write_text("#ifndef W\n#define W\n#include <limits.h>\n#define WRAPPED 1\n#endif\n")
    (tmp_path / "once.h").write_text("#pragma once\nint once;\n")
    workspace = Workspace([str(tmp_path)], ["-DFLAG", f"-I{tmp_path}/inc"])
    assert expand(workspace, tmp_path / "main.c", source.encode()).text.decode().split() == expected.split()


def test_header_named_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "pre.h").write_text("#include <limits.h>\n#define PRE CHAR_BIT\nint pre;\n")
    workspace = Workspace([str(tmp_path)], ["-include", "pre.h", "-include", "float.h", "-include", "none.h"])
    expanded = expand(workspace, tmp_path / "main.c", b"PRE DBL_DIG\n")
    assert expanded.text.decode().split() == ["int", "pre;", "8", "15"]
    assert [note.message for note in expanded.notes] == ['"none.h": no such file']
    assert expanded.map.location(0, expanded.text.index(b";")).path == str(tmp_path / "pre.h")


def test_missing_header_is_named_and_the_others_are_there(tmp_path: Path) -> None:
    workspace = Workspace([str(tmp_path)])
    source = b'#include <no/such.h>\n#include "nor_this.h"\n#include <limits.h>\nCHAR_BIT\n'
    snapshot = workspace.snapshot(str(tmp_path / "main.c"), source)
    assert set(snapshot.missing) == {"<no/such.h>", '"nor_this.h"'}
    assert expand(workspace, tmp_path / "main.c", source).text.split() == [b"8"]
    (tmp_path / "nor_this.h").write_text("#define NOW 1\n")
    assert set(workspace.snapshot(str(tmp_path / "main.c"), source).missing) == {"<no/such.h>"}


def test_a_header_that_appears_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = counted(monkeypatch)
    (tmp_path / "sys").mkdir()
    workspace, main = Workspace([str(tmp_path)]), str(tmp_path / "main.c")
    flags = ("-isystem", str(tmp_path / "sys"))
    source = b"#include <sub/late.h>\n#if __has_include(<later.h>)\n#endif\n"
    for _ in range(2):
        assert set(workspace.snapshot(main, source, flags).missing) == {"<sub/late.h>"}
    assert len(runs) == 1, "what is missing is remembered too"
    (tmp_path / "sys" / "sub").mkdir()
    (tmp_path / "sys" / "sub" / "late.h").write_text("#define LATE 1\n")
    assert "<sub/late.h>" in workspace.snapshot(main, source, flags).system
    assert "<later.h>" not in workspace.snapshot(main, source, flags).system
    (tmp_path / "sys" / "later.h").write_text("")
    assert "<later.h>" in workspace.snapshot(main, source, flags).system


def test_gcc_of_the_current_directory_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gcc").write_text("#!/bin/sh\ntouch was_run\n")
    (tmp_path / "gcc").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    assert "<stdio.h>" in Workspace(["."]).snapshot("main.c", HEADERS + b"int once_more;\n", ["-DUNIQUE"]).system
    assert not (tmp_path / "was_run").exists()


@pytest.mark.parametrize("variable", ["LD_LIBRARY_PATH", "COMPILER_PATH"])
def test_nothing_of_the_files_directory_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """Neither a library of the compiler nor a part of it, also when a search path has an empty entry."""
    mark = tmp_path / "was_run"
    part = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True, check=True).stdout.strip()
    needed = subprocess.run(["ldd", part], capture_output=True, text=True, check=True).stdout
    trap = f'#include <fcntl.h>\n__attribute__((constructor)) static void run(void) {{ creat("{mark}", 0600); }}\n'
    (tmp_path / "trap.c").write_text(trap)
    library = next(line.split()[0] for line in needed.splitlines() if "=> /" in line)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, "trap.c"], cwd=tmp_path, check=True)
    (tmp_path / "cc1").write_text(f"#!/bin/sh\n: > {mark}\n")
    (tmp_path / "cc1").chmod(0o755)
    monkeypatch.setenv(variable, ":/nowhere")
    source = HEADERS + f"int {variable};\n".encode()
    found = Workspace([str(tmp_path)]).snapshot(str(tmp_path / "main.c"), source, [f"-D{variable}"])
    assert "<stdio.h>" in found.system
    assert not mark.exists()


def test_buffers_open_while_the_compiler_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, opened = Workspace([str(tmp_path)]), threading.Event()

    def preprocess(*_: object) -> compiler.Preprocessed:
        assert opened.wait(LIMIT), "opening a buffer must not wait for the compiler"
        return compiler.Preprocessed()

    monkeypatch.setattr(compiler, "preprocess", preprocess)
    arguments = (str(tmp_path / "main.c"), b"#include <stdio.h>\n", ["-DOPENED"])
    thread = threading.Thread(target=workspace.snapshot, args=arguments)
    thread.start()
    workspace.open(str(tmp_path / "other.c"), b"")
    opened.set()
    thread.join(20)
    assert not thread.is_alive()


def test_no_gcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "own.h").write_text("#define OWN 1\n")
    workspace = Workspace([str(tmp_path)])
    source = b'#include <stdio.h>\n#include "own.h"\nOWN\n'
    snapshot = workspace.snapshot(str(tmp_path / "main.c"), source)
    assert snapshot.missing == {"<stdio.h>": "no gcc on PATH"}
    assert str(workspace.problems["system headers"]).startswith("system headers: no gcc on PATH; install it")
    assert expand(workspace, tmp_path / "main.c", source).text.split() == [b"1"]
    monkeypatch.undo()
    assert not workspace.snapshot(str(tmp_path / "main.c"), source).missing
    assert not workspace.problems


@pytest.mark.parametrize("meanwhile", ["", "while :; do :; done"], ids=["sleeping", "busy"])
def test_gcc_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: str) -> None:
    (tmp_path / "gcc").write_text(f"#!/bin/sh\n{meanwhile}\nexec sleep 60\n")
    (tmp_path / "gcc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(compiler, "DEADLINE", 0.2)
    workspace = Workspace([str(tmp_path)])
    workspace.snapshot(str(tmp_path / "main.c"), HEADERS)
    assert "took longer" in workspace.problems["system headers"].reason


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/stdin", "/proc/kcore"])
def test_include_of_a_device(tmp_path: Path, device: str) -> None:
    workspace = Workspace([str(tmp_path)])
    source = f'#include "{device}"\n#include <limits.h>\nCHAR_BIT\n'.encode()
    assert expand(workspace, tmp_path / "main.c", source).text.split() == [b"8"]


@pytest.mark.parametrize(
    ("flags", "refused"),
    [
        (["-march=no-such", "-std=c99", "-std=c99x", "-DN=1"], "-std=c99x -march=no-such"),
        (["-mcpu=no-such", "-mavx99"], "-mavx99 -mcpu=no-such"),
        (["-std=c99"], ""),
    ],
)
def test_flags_that_gcc_does_not_take_lose_no_headers(tmp_path: Path, flags: list[str], refused: str) -> None:
    """Of other compilers, newer ones, other machines: what they are is said, also when the headers are remembered."""
    main, wrong = str(tmp_path / "main.c"), b"int f(void) { return 1 }\n"
    for _ in range(2):
        workspace = Workspace([str(tmp_path)], cache=DiskCache(tmp_path / "cache"))
        snapshot = workspace.snapshot(main, HEADERS, flags)
        assert "<stdio.h>" in snapshot.system
        assert "__STDC__" in {macro.name for macro in snapshot.predefined}
        problem = workspace.problems.get("compiler flags")
        said = problem.reason if problem else ""
        assert said == (refused and f"gcc does not take {refused}: left out")
    assert workspace.compiler_errors(main, wrong, flags) == {1: "expected ';' before '}' token"}
    workspace.snapshot(main, HEADERS)
    assert "compiler flags" not in workspace.problems


def test_a_compiler_that_gives_nothing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gcc").write_text("#!/bin/sh\necho 'gcc: error: no luck today' >&2\nexit 1\n")
    (tmp_path / "gcc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    workspace = Workspace([str(tmp_path)], cache=DiskCache(tmp_path / "cache"))
    assert "<stdio.h>" in workspace.snapshot(str(tmp_path / "main.c"), HEADERS, ["-march=native"]).missing
    assert "no luck today" in workspace.problems["system headers"].reason


# -- the cache on the disk ---------------------------------------------------------------------------------------------


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    runs: list[str] = []
    original = compiler.preprocess

    def preprocess(gcc: str, text: str, flags: tuple[str, ...], directory: str) -> compiler.Preprocessed:
        runs.append(text)
        return original(gcc, text, flags, directory)

    monkeypatch.setattr(compiler, "preprocess", preprocess)
    return runs


def test_disk_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = counted(monkeypatch)
    main, cache = str(tmp_path / "main.c"), tmp_path / "cache"
    (tmp_path / "sys").mkdir()
    header = tmp_path / "sys" / "my_system.h"
    header.write_text("#define V 1\n")
    source = b"#include <stdio.h>\n#include <my_system.h>\nV\n"
    flags = ("-isystem", str(tmp_path / "sys"))
    first = Workspace([str(tmp_path)], cache=DiskCache(cache)).snapshot(main, source, flags)
    second = Workspace([str(tmp_path)], cache=DiskCache(cache)).snapshot(main, source, flags)
    assert len(runs) == 1
    assert (first.key, first.predefined, first.system) == (second.key, second.predefined, second.system)
    header.write_text("#define V 22\n")
    workspace = Workspace([str(tmp_path)], cache=DiskCache(cache))
    third = workspace.snapshot(main, source, flags)
    assert len(runs) == 2
    assert third.system["<my_system.h>"] != first.system["<my_system.h>"]
    for number, damage in enumerate(DAMAGES.values(), 3):
        for file in cache.rglob("*.json"):
            damage(file)
        for _ in range(2):
            workspace = Workspace([str(tmp_path)], cache=DiskCache(cache))
            assert workspace.snapshot(main, source, flags).system == third.system
            assert not workspace.problems
        assert len(runs) == number, "a damaged file is replaced"


def test_an_entry_of_another_form_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = counted(monkeypatch)
    main, cache, source = str(tmp_path / "main.c"), tmp_path / "cache", b"#include <stddef.h>\nNULL\n"
    right = Workspace([str(tmp_path)], cache=DiskCache(cache)).snapshot(main, source)
    (entry,) = cache.rglob("*.json")
    unit = {"ops": [["A", ["x"], "1"], "B"], "text": "int a;"}
    units = [5, {"ops": 5}, {**unit, "text": 5}, {**unit, "ops": [5]}, {**unit, "ops": [["A", [5], "1"]]}]
    data = json.loads(entry.read_bytes())
    others = [{"units": {"0": each}} for each in units] + [{"units": {"x": unit}}, {"read": {"/\0": [1, 2]}}]
    forms = forms_of(entry) + [json.dumps({**data, **other}).encode() for other in others]
    for number, form in enumerate(forms, 2):
        rewritten(entry, form)
        snapshot = Workspace([str(tmp_path)], cache=DiskCache(cache)).snapshot(main, source)
        assert (snapshot.system, snapshot.predefined) == (right.system, right.predefined), form[:200]
        assert len(runs) == number, form[:200]


def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    workspace = Workspace([str(tmp_path)], cache=DiskCache(blocked))
    for extra in (b"", b"#include <ctype.h>\n"):
        snapshot = workspace.snapshot(str(tmp_path / "main.c"), HEADERS + extra)
        assert "<stdio.h>" in snapshot.system
    assert list(workspace.problems) == ["header cache"]
    assert f"cannot use the cache {blocked}: Not a directory" in str(workspace.problems["header cache"])


def test_problem_has_three_parts() -> None:
    assert str(EnvironmentProblem("a", "b", "c")) == "a: b; c"


def test_the_texts_whose_directives_are_known_are_not_kept() -> None:
    directives = Directives()
    text = b"#define A\n" + b"int a;\n" * 1000
    before = sys.getrefcount(text)
    assert directives.of(text) is directives.of(bytes(bytearray(text)))
    assert sys.getrefcount(text) == before
