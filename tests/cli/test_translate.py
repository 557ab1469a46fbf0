"""`ompls preview` and `ompls translate`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from tests_cli_paths import EXAMPLES

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.c"))
UNTRANSLATABLE = """\
void f(int n)
{
    #pragma omp target teams distribute parallel for map(tofrom: n)
    for (int i = 0; i < n; i++)
        __asm__ volatile ("nop");
}
"""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("device", ["cuda", "host"])
def test_preview_shows_a_kernel(ompls, name: str, device: str) -> None:
    done = ompls("preview", "--device", device, EXAMPLES / f"{name}.c")
    assert (done.code, done.err) == (0, "")
    assert ("__global__" in done.out) == (device == "cuda")


def test_preview_of_one_line_shows_that_region_only(ompls) -> None:
    path = EXAMPLES / "vector_add.c"
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if "twice[i] = 2" in text)
    done = ompls("preview", "--line", line, path)
    assert done.code == 0
    assert "twice" in done.out
    assert "sum[" not in done.out
    none = ompls("preview", "--line", 1, path)
    assert none.code == 2
    assert f"the regions are at lines {line - 2}-{line}" in none.err or f", {line - 2}-{line}" in none.err


def test_preview_gives_the_line_map(ompls) -> None:
    path = EXAMPLES / "saxpy.c"
    done = ompls("preview", "--with-lines", path)
    *text, last = done.out.splitlines()
    pairs = json.loads(last)["lines"]
    source = path.read_text().splitlines()
    shown = [(text[generated - 1].strip(), source[original - 1].strip()) for generated, original in pairs]
    assert any(new == old == "y[i] = a * x[i] + y[i];" for new, old in shown)


def test_preview_shows_resources_without_a_gpu(ompls) -> None:
    pytest.importorskip("nvidia.cuda_nvrtc", reason="needs the package ompls[cuda-preview]")
    done = ompls("preview", "--resources", "--arch", "sm_87", EXAMPLES / "saxpy.c")
    assert done.code == 0
    assert "Resources on sm_87" in done.err
    assert "registers" in done.err


def test_resources_on_an_unknown_gpu_name_one_that_is_known(ompls) -> None:
    pytest.importorskip("nvidia.cuda_nvrtc", reason="needs the package ompls[cuda-preview]")
    done = ompls("preview", "--resources", "--arch", "sm_1", EXAMPLES / "saxpy.c")
    assert done.code == 2
    assert "nvrtc does not know it" in done.err


@pytest.mark.parametrize("command", ["preview", "translate"])
def test_a_file_without_regions(ompls, tmp_path: Path, command: str) -> None:
    path = tmp_path / "plain.c"
    path.write_text("int main(void) { return 0; }\n")
    options = ["-o", tmp_path / "bundle"] if command == "translate" else []
    done = ompls(command, *options, path)
    assert done.code == (2 if command == "preview" else 0)
    assert ("has no target region" in done.err) == (command == "preview")


def test_translate_writes_a_bundle_again_and_again(ompls, tmp_path: Path) -> None:
    target = tmp_path / "bundle"
    for _ in range(2):
        done = ompls("translate", "--device", "cudasim", "-o", target, EXAMPLES / "saxpy.c")
        assert (done.code, done.out, done.err) == (0, "", "")
        manifest = json.loads((target / "manifest.json").read_text())
        assert manifest["ompls_bundle"] == 1
        for name, digest in manifest["sha256"].items():
            assert hashlib.sha256((target / name).read_bytes()).hexdigest() == digest


def test_translate_never_overwrites_what_is_not_its_own(ompls, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    done = ompls("translate", "-o", tmp_path, EXAMPLES / "saxpy.c")
    assert done.code == 2
    assert "choose another" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("command", ["preview", "translate", "run"])
def test_what_cannot_be_translated_is_a_diagnostic_before_any_output(ompls, tmp_path: Path, command: str) -> None:
    path = tmp_path / "assembly.c"
    path.write_text(UNTRANSLATABLE)
    options = ["-o", tmp_path / "bundle"] if command == "translate" else []
    done = ompls(command, *options, path)
    assert done.code == (125 if command == "run" else 1)
    assert done.out == ""
    assert "assembly.c:" in done.err
    assert "untranslatable-construct" in done.err
    assert not (tmp_path / "bundle").exists()


def test_resources_of_what_an_old_gpu_cannot_run_say_why(ompls, tmp_path: Path) -> None:
    pytest.importorskip("nvidia.cuda_nvrtc", reason="needs the package ompls[cuda-preview]")
    path = tmp_path / "locked.c"
    path.write_text(
        "#include <omp.h>\nvoid f(omp_lock_t *a, int n)\n{\n#pragma omp target parallel for is_device_ptr(a)\n"
        "    for (int i = 0; i < n; i++) {\n        if (i % 2)\n            omp_set_lock(a);\n"
        "        if (i % 2)\n            omp_unset_lock(a);\n    }\n}\n"
    )
    done = ompls("preview", "--resources", "--arch", "sm_53", path)
    assert done.code == 2
    assert "locked.c:7: omp_set_lock hangs on a GPU before sm_70" in done.err
    assert "bug of ompls" not in done.err
    assert ompls("preview", "--resources", "--arch", "sm_70", path).code == 0
