"""Sources of any encoding: kernels have the user's bytes, and mean by them what gcc means by them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls_bytes
from named import preview, translate
from thinned import thinned

from ompls.analysis.encoding import decoded, encoded, well_formed
from ompls.analysis.model.tu import TU
from ompls.devices.cuda.module import nvrtc

ROOT = Path(__file__).resolve().parents[2]

# What stands for WORD in strings and comments, and for C in character constants.
TEXTS = {
    "UTF-8": ("gr\u00fc\u00dfe \u20ac \U0001f600".encode(), "\u00fc".encode()),
    "Latin-1": ("gr\u00fc\u00dfe".encode("latin-1"), b"\xfc"),
    "Shift-JIS": ("\u8868\u793a\u30bdn".encode("shift-jis"), "\u8868n".encode("shift-jis")),  # with backslashes in it
    "GBK": (b"\x81\\n\xb0\xa1\xff", b"\x81\\t"),
    "a part of a character": (b"\xe2\x82 \xc3", b"\xc3"),
    "UTF-8 and Latin-1": (b"\xc3\xbc \xfc", b"\xff"),
}
PROGRAM = rb"""#include <stdio.h>
#define TEXT(s) #s " WORD"
#define N 24
/* WORD */ typedef struct { char /* WORD */ name[40]; int size /* 'C' */; } named; // WORD!
static const char table[] = "WORD";
#pragma omp declare target
static int kinds(int c) {
  static int calls; /* WORD */
  switch (c) { case 'C': return 1 + calls++; default: return c == "WORD"[0] ? 2 : 3; }
}
static int length(const char *s) { /* WORD */ int n = 0; while (s[n]) n++; return n; }
static int second(void) { static char kept[] = "WORD"; return kept[1]++; } // WORD
#pragma omp end declare target
int main(void) {
  int a[N] = {0}, sum = 0; char copy[64] = "";
#pragma omp target map(tofrom : a, copy) // WORD
  {
    /* WORD */ const char *s = "WORD"; int k = 0; /* WORD */ for (; s[k]; k++) copy[k] = s[k]; a[0] = k; // WORD
    a[1] = 'C'; a[2] = sizeof "WORD"; a[3] = sizeof(TEXT(WORD)); a[4] = TEXT(WORD)[3];
    a[5] = length("WORD" /* WORD */ "WORD"); a[6] = kinds('C'); a[7] = kinds("WORD"[0]); a[8] = kinds(0);
    named x = {.size = 'C', /* WORD */ .name = "WORD"}; a[9] = length(x.name) + x.size;
    a[10] = sizeof(__typeof__("WORD")); a[11] = "WORD" /* WORD */ [2]; a[12] = length(__FILE__); a[13] = __FILE__[0];
    char own[] = "WORD"; /* WORD */ register int class = own[1]; a[14] = class; a[15] = __LINE__; a[16] = sizeof own;
    a[17] = second();
  }
#pragma omp target map(tofrom : a)
  { a[18] = second() + kinds('C'); }
  int many['C' & 15]; for (int i = 0; i < (int)(sizeof many / sizeof *many); i++) many[i] = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : many['C' * 0 : 1]) firstprivate(table)
  for (int i = 0; i < (int)sizeof "WORD"; i++) /* WORD */ sum += table[i] * "WORD"[i] + many[0];
  a[19] = sum;
#pragma omp target if ('C' != 0) map(tofrom : a) thread_limit(sizeof "WORD")
#pragma omp metadirective when(user = {condition(sizeof "WORD" > 1)} : parallel for num_threads(2)) default(single)
  for (int i = 20; i < N; i++) /* WORD */ { const char *s = "WORD"; a[i] = s[i - 20] + length(s); } // WORD
  for (int i = 0; i < N; i++) printf("%d %d\n", i, a[i]);
  return puts(copy) < 0;
}
"""


def program(name: str, text: bytes = PROGRAM) -> bytes:
    word, character = TEXTS[name]
    return text.replace(b"WORD", word).replace(b"'C'", b"'" + character + b"'")


def gcc(path: Path) -> subprocess.CompletedProcess[bytes]:
    flags = ["-fopenmp", "-foffload=disable", "-w", "-o", "program"]
    return subprocess.run(["gcc", *flags, path.name], cwd=path.parent, capture_output=True, check=False)


def run(path: Path, device: str) -> subprocess.CompletedProcess[bytes]:
    return ompls_bytes("run", "--timeout", "60", "--device", device, path.name, "-w", cwd=path.parent)


@pytest.mark.parametrize(
    ("name", "device"), [*thinned([(n, "cudasim") for n in TEXTS], 6), *thinned([(n, "host") for n in TEXTS], 6)]
)
def test_what_gcc_means(name: str, device: str, tmp_path: Path) -> None:
    path = tmp_path / "test.c"
    path.write_bytes(program(name))
    assert gcc(path).returncode == 0, gcc(path).stderr
    right = subprocess.run([tmp_path / "program"], capture_output=True, check=True).stdout
    done = run(path, device)
    assert (done.returncode, done.stdout, done.stderr) == (0, right, b"")
    assert TEXTS[name][0] in right or b"\\" in TEXTS[name][0]


WIDE = rb"""#include <stdio.h>
int main(void) {
  int n = 0;
#pragma omp target map(tofrom : n)
  n = L"WORD"[2] * 100 + sizeof L"WORD" + L'C';
  return printf("%d\n", n) < 0;
}
"""


@pytest.mark.parametrize("device", ["host", "cudasim"])
@pytest.mark.parametrize("name", thinned(["UTF-8", "Latin-1"], 2))
def test_wide_strings(name: str, device: str, tmp_path: Path) -> None:
    path = tmp_path / "test.c"
    path.write_bytes(program(name, WIDE))
    judged, done = gcc(path), run(path, device)
    if name == "UTF-8":
        right = subprocess.run([tmp_path / "program"], capture_output=True, check=True).stdout
        assert (done.returncode, done.stdout, done.stderr) == (0, right, b"")
    else:  # gcc does not know what these bytes are
        (why,) = set(re.findall(rb"converting to execution character set.*", judged.stderr))
        assert judged.returncode
        assert done.returncode == 125
        assert re.search(rb"test\.c:5:\d+: error: " + why, done.stderr), done.stderr


# Of the host's half and of kernels; the files' names are not UTF-8 either.
NAMES = rb"""#include <stdio.h>
#include "gr\374n.h"
static int length(const char *s) { int n = 0; while (s[n]) n++; return n; }
#pragma omp declare target to(length)
int main(void) {
  int n = 0, m = 0, k = GREEN;
#line 70 "gr\374n\"\t.y"
#pragma omp target map(tofrom : n, m)
  { n = length(__FILE__) * 1000 + __FILE__[2]; m = __LINE__; }
#line 100 "blau\351.y"
  printf("%d %d %d %s:%d\n", n, m, k, __FILE__, __LINE__);
#line 200 "a\\b.y"
  return puts(__FILE__) < 0;
}
"""


@pytest.mark.parametrize("device", ["host", "cudasim"])
@pytest.mark.parametrize("escapes", [True, False])
def test_names_of_files(escapes: bool, device: str, tmp_path: Path) -> None:
    text = NAMES.replace(rb"gr\374n.h", b"gr\xfcn.h")
    if not escapes:
        text = text.replace(rb"\374", b"\xfc").replace(rb"\351", b"\xe9")
    for name, value in ((b"gr\xfcn.h", b"1"), (b"gr\xe9n.h", b"2")):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"#define GREEN " + value)
    path = tmp_path / os.fsdecode(b"t\xfc.c")
    path.write_bytes(text + b'#include "gr\xe9n.h"\n')
    assert gcc(path).returncode == 0, gcc(path).stderr
    right = subprocess.run([tmp_path / "program"], capture_output=True, check=True).stdout
    done = run(path, device)
    assert (done.returncode, done.stdout, done.stderr) == (0, right, b"")


@pytest.mark.parametrize("name", ["gr\u00fcn", "gr\udcfcn", "\u20ac"])
def test_functions_of_headers_with_odd_names(name: str, tmp_path: Path, load: Callable[[Path], TU]) -> None:
    for part in "12":
        (tmp_path / f"{name}{part}.h").write_text(f"static int f{part}(int x) {{ return x + {part}; }}\n")
    (tmp_path / f"{name}3.h").write_text("#define f3(x) ((x) + 3)\n")
    program = f"""#include "{name}1.h"
#if __has_include("{name}2.h") && !__has_include("{name}.h")
#include "{name}2.h"
#endif
int main(void) {{
  int n = 0;
#pragma omp target map(tofrom : n)
  n = f1(1) + f2(2) + f3(3);
  return n != 12;
}}
"""
    (tmp_path / "test.c").write_bytes(encoded(program))
    (tmp_path / "compile_flags.txt").write_bytes(encoded(f"-include\n{name}3.h\n"))
    snapshot = load(tmp_path / "test.c").headers
    assert sorted(snapshot) == sorted(f'"{name}{part}.h"' for part in "123")
    done = run(tmp_path / "test.c", "host")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("name", TEXTS)
def test_kernels_have_the_users_bytes(name: str, tmp_path: Path, load: Callable[[Path], TU]) -> None:
    path = tmp_path / "test.c"
    path.write_bytes(program(name))
    word, character = TEXTS[name]
    bundle = translate([load(path)], ["cuda", "host"])
    kernels = [data for file, data in bundle.files.items() if "kernels/" in file and file.split(".")[0].endswith("_0")]
    assert len(kernels) == 2
    for data in kernels:
        assert b"\xef\xbf\xbd" not in data
        assert data.count(b'"' + word + b'"') >= 7
        assert data.count(b"/* " + word + b" */") >= 3
        assert b"[1] = '" + character + b"'" in data
    assert json.loads(bundle.files["manifest.json"]) == json.loads(json.dumps(bundle.manifest))
    for device, line in (("cuda", 21), ("host", 16)):  # on `host` nothing but the pragma is written otherwise
        shown = preview(load(path), device, "main_0", explain=True)
        assert b'"' + word + b'"' in encoded(shown.text)
        assert f"// {line} | ".encode() in encoded(shown.text)
        assert well_formed(shown.text).encode()


@pytest.mark.skipif(nvrtc.available() is None, reason="nvrtc is not installed (the extra cuda-preview)")
def test_nvrtc_takes_the_users_bytes(tmp_path: Path) -> None:
    path = tmp_path / "test.c"
    path.write_bytes(program("Latin-1"))
    done = ompls_bytes("preview", "--resources", path.name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert TEXTS["Latin-1"][0] in done.stdout
    assert b"registers" in done.stderr


@pytest.mark.parametrize(
    "data", [b"", b"plain", b"\xfc", b"\xc3\xbc\xfc\xe2\x82", b"\xed\xa0\x80\xed\xb2\x80", b"\xf5"]
)
def test_a_text_is_its_bytes(data: bytes) -> None:
    assert encoded(decoded(data)) == data
    for at in range(len(data)):
        assert encoded(decoded(data[:at]) + decoded(data[at:])) == data
    assert well_formed(decoded(data)).encode().decode().rstrip("\ufffd") == data.decode("utf-8", "ignore")


def test_the_translator_decodes_nothing_in_another_way() -> None:
    own = ("latin-1", "manifest.json")  # where a byte is a character; JSON's escapes
    for path in (ROOT / "ompls" / "translate").rglob("*.py"):
        other = [
            x
            for x in path.read_text().splitlines()
            if re.search(r"\.(de|en)code\(", x) and not any(o in x for o in own)
        ]
        assert not other, path
