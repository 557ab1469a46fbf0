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


def test_no_kernel_is_shown_of_a_text_that_no_compiler_takes(ompls, tmp_path) -> None:
    path = tmp_path / "x.c"
    region = "#pragma omp target map(tofrom: a)\n  a[0] = 1;\n"
    path.write_text(f"int a[4];\nvoid f(void) {{\n{region}#pragma omp target update to(missing)\n}}\n")
    done = ompls("preview", path)
    assert (done.code, done.out) == (1, "")
    assert "5:30: error: `missing`" in done.err
    assert "a[0] = 1;" in ompls("preview", "--line", 3, path).out


@pytest.mark.parametrize("command", ["preview", "translate", "run"])
def test_what_a_missing_header_hides_is_told(ompls, tmp_path, command) -> None:
    path = tmp_path / "x.c"
    guarded = "#if USE_GPU\n#pragma omp target\n#endif\n  ;\n"
    path.write_text(f'#include "nowhere.h"\nint main(void) {{\n{guarded}#pragma omp target\n  ;\n  return 0;\n}}\n')
    words = {"translate": ["-o", tmp_path / "bundle"], "run": ["--device", "host"]}.get(command, [])
    said = ompls(command, *words, path).err
    assert said.count("[missing-include]") == 2
    assert "x.c:3:1: hint: whether 'USE_GPU' is defined is not known" in said


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
    assert "for cuda on sm_87" in done.err
    assert "registers" in done.err


def for_nvrtc(path: Path, text: str) -> Path:
    """A file whose kernels NVIDIA's compiler shall look at."""
    pytest.importorskip("nvidia.cuda_nvrtc", reason="needs the package ompls[cuda-preview]")
    path.write_text(text)
    return path


def test_local_memory_is_told(ompls, tmp_path: Path) -> None:
    """An array that a thread has for itself and indexes by a variable is slow, and spills nothing."""
    path = for_nvrtc(
        tmp_path / "own.c",
        "void f(int n, const int *a, int *b)\n{\n"
        "#pragma omp target teams distribute parallel for map(to: a[:n]) map(b[:n])\n"
        "    for (int i = 0; i < n; i++) {\n        int own[32] = {0};\n"
        "        for (int k = 0; k < n; k++)\n            own[a[k] % 32]++;\n"
        "        b[i] = own[a[i] % 32];\n    }\n}\n",
    )
    done = ompls("preview", "--resources", "--json", path)
    (needs,) = json.loads(done.out)["regions"].values()
    assert (needs["local bytes"], needs["spill stores"]) == (128, 0)


@pytest.mark.parametrize("options", [["--json"], ["--arch", "banana"]])
def test_what_only_resources_take_is_refused_without(ompls, options: list[str]) -> None:
    done = ompls("preview", *options, EXAMPLES / "saxpy.c")
    assert (done.code, done.out) == (2, "")
    assert f"{options[0]} says nothing without --resources" in done.err


def test_resources_on_an_unknown_gpu_name_one_that_is_known(ompls) -> None:
    pytest.importorskip("nvidia.cuda_nvrtc", reason="needs the package ompls[cuda-preview]")
    done = ompls("preview", "--resources", "--arch", "sm_1", EXAMPLES / "saxpy.c")
    assert done.code == 2
    assert "does not know it; name one of sm_" in done.err


def test_that_no_compiler_tells_resources_is_an_answer(ompls, monkeypatch: pytest.MonkeyPatch) -> None:
    from ompls.devices.cuda.module import image, nvrtc

    def absent() -> bool:
        raise nvrtc.NvrtcUnavailable("there is none")

    monkeypatch.setattr(nvrtc, "makes_cubins", absent)
    monkeypatch.setattr(image, "find_nvcc", lambda: None)
    done = ompls("preview", "--resources", "--json", EXAMPLES / "saxpy.c")
    told = json.loads(done.out)
    assert (done.code, told["device"], told["regions"]) == (2, "cuda", {})
    assert told["unable"] in done.err


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
    options = {"translate": ["-o", tmp_path / "bundle"], "run": ["--device", "cudasim"]}.get(command, [])
    done = ompls(command, *options, path)
    assert done.code == (125 if command == "run" else 1)
    assert done.out == ""
    assert "assembly.c:" in done.err
    assert "untranslatable-construct" in done.err
    assert not (tmp_path / "bundle").exists()


def test_resources_of_what_an_old_gpu_cannot_run_say_why(ompls, tmp_path: Path) -> None:
    path = for_nvrtc(
        tmp_path / "locked.c",
        "#include <omp.h>\nvoid f(omp_lock_t *a, int n)\n{\n#pragma omp target parallel for is_device_ptr(a)\n"
        "    for (int i = 0; i < n; i++) {\n        if (i % 2)\n            omp_set_lock(a);\n"
        "        if (i % 2)\n            omp_unset_lock(a);\n    }\n}\n",
    )
    done = ompls("preview", "--resources", "--arch", "sm_53", path)
    assert done.code == 2
    assert "locked.c:7: omp_set_lock hangs on a GPU before sm_70" in done.err
    assert "bug of ompls" not in done.err
    assert ompls("preview", "--resources", "--arch", "sm_70", path).code == 0


MISSPELT = "int main(void)\n{\n    int x = 0;\n    #pragma %s\n    x = 1;\n    return x - 1;\n}\n"


@pytest.mark.parametrize(
    ("pragma", "severity"),
    [
        ("omp taget map(x)", "warning"), ("opm target map(x)", "warning"), ("omptarget", "warning"),
        ("target map(x)", "warning"), ("omp frobnicate", "warning"), ("omp TARGET", "warning"),
        ("OMP TARGET", "warning"), ("target", "hint"), ("ompx target", "hint"),
    ],
)  # fmt: skip
def test_what_is_lost_is_a_warning_unless_offload_is_mandatory(
    ompls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pragma: str, severity: str
) -> None:
    path, out = tmp_path / "x.c", tmp_path / "out"
    path.write_text(MISSPELT % pragma)
    commands = (["preview", path], ["translate", "-o", out, path])
    for words, code in zip(commands, (2, 0), strict=True):  # there is no region to show
        done = ompls(*words)
        assert done.code == code
        assert done.err.count(f": {severity}: ") == 1
        assert "x.c:4:" in done.err
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "Mandatory")
    for words, code in zip(commands, (2, 0), strict=True):
        done = ompls(*words)
        assert done.code == (code if severity == "hint" else 1)
        expected = "hint" if severity == "hint" else "error"
        assert [line.split(": ")[1] for line in done.err.splitlines() if "x.c:4:" in line] == [expected]


@pytest.mark.parametrize("offload", ["default", "mandatory"])
def test_a_modifier_that_nobody_has_is_told(
    ompls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offload: str
) -> None:
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", offload)
    path = tmp_path / "x.c"
    path.write_text(MISSPELT % "omp target map(ompx_locl, tofrom: x)")
    for words in (["preview", path], ["translate", "-o", tmp_path / "out", path]):
        done = ompls(*words)
        assert (done.code, done.err.count(": warning: ")) == (0, 1)
        assert "the `map` modifier `ompx_locl`; did you mean `ompx_local`?" in done.err


def test_what_is_lost_of_the_host_is_no_offload(ompls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "mandatory")
    path = tmp_path / "x.c"
    path.write_text(MISSPELT % "omp paralel if(target)")
    done = ompls("translate", "-o", tmp_path / "out", path)
    assert (done.code, done.err.count(": warning: ")) == (0, 1)


@pytest.mark.parametrize(
    "project",
    [
        'ignore = ["unknown-directive"]\n', 'select = ["mapping"]\n', '[severity]\nunknown-directive = "off"\n',
        '[per-path-ignores]\n"*.c" = ["structure"]\n',
    ],
)  # fmt: skip
def test_who_wants_to_hear_nothing_of_what_is_lost_is_told_nothing(ompls, tmp_path: Path, project: str) -> None:
    (tmp_path / ".ompls.toml").write_text(project)
    path = tmp_path / "x.c"
    path.write_text(MISSPELT % "omp taget")
    assert ompls("translate", "-o", tmp_path / "out", path).err == ""


@pytest.mark.parametrize("wrong", ["x = = 1;", "x = nowhere;"])
@pytest.mark.parametrize("command", ["preview", "translate -o {}"])
def test_gcc_says_what_is_no_c_outside_of_regions(ompls, tmp_path: Path, command: str, wrong: str) -> None:
    path = tmp_path / "x.c"
    path.write_text(f"void f(int x)\n{{\n    #pragma omp target\n    x = 1;\n    {wrong}\n}}\n")
    done = ompls(*command.format(tmp_path / "out").split(), path)
    assert (done.code, done.out) == (1, "")
    assert "x.c:5:9: error: " in done.err


def test_resources_of_a_file_with_another_region_that_cannot_be_translated(ompls, tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(f"{UNTRANSLATABLE}void g(int n)\n{{\n    #pragma omp target\n    n++;\n}}\n")
    done = ompls("preview", "--line", "9", "--resources", path)
    assert (done.code, done.err.count(": error: ")) == (1, 1)
    assert "x.c:5:" in done.err
