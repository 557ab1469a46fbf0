"""`ompls cc`: projects built with it, by hand, with make and with CMake, offload; and what is gcc's stays gcc's."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import ompls
from together import together

from ompls.cli.gcc_line import read
from ompls.cli.problem import Problem

TARGETS = "-fopenmp-targets=host"  # the quickest to build for; what is tested here does not depend on the device
CC = f"{sys.executable} -m ompls cc"

MAIN = """
#include <stdio.h>
#include <omp.h>
#include "vector.h"
int main(void) {
    double x[100];
    int on_device = 0;
    for (int i = 0; i < 100; i++) x[i] = i;
    scale(x, 100, 3);
    halve(x, 100);
    #pragma omp target map(from: on_device)
    on_device = !omp_is_initial_device();
    printf("%g %d\\n", x[10], on_device);
    return 0;
}
"""
VECTOR_H = """
void scale(double *x, int n, double f);
static inline void halve(double *x, int n) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] /= 2;
}
"""
SCALE = """
#include "vector.h"
void scale(double *x, int n, double f) {
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++) x[i] *= f;
    halve(x, n);
}
"""
UNUSED = """
void unused(double *x, int n) {
    #pragma omp target map(tofrom: x[0:n])
    x[0] = 1;
}
"""
SAID = "7.5 1\n"


def cc(*words: object, where: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = ompls("cc", *words, cwd=where)
    assert done.returncode == code, done.stderr
    return done


def said(program: Path) -> str:
    return subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in (("main.c", MAIN), ("vector.h", VECTOR_H), ("scale.c", SCALE), ("unused.c", UNUSED)):
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("how", ["", "-fdirectives-only"])
def test_preprocessed_text_keeps_its_regions(project: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """As distcc, ccache and icecream have it compiled: with options for the preprocessor, too, which have been used."""
    options = ["-fopenmp", TARGETS, "-DN=100", "-include", "assert.h", *how.split()]
    for name in ("main", "scale"):
        cc(*options, "-E", f"{name}.c", "-o", f"{name}.i", where=project)
        assert cc(*options, "-fpreprocessed", "-c", f"{name}.i", where=project).stderr == ""
    cc(*options, "main.o", "scale.o", "-o", "prog", where=project)
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "mandatory")
    assert said(project / "prog") == SAID


def test_targets_without_openmp_are_refused(project: Path) -> None:
    refused = cc(TARGETS, "-c", "main.c", where=project, code=1).stderr
    assert "-fopenmp-targets needs -fopenmp" in refused
    assert not (project / "main.o").exists()


@together(
    ("words", "device", "architecture"),
    [
        (
            "-fopenmp -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target=nvptx64-nvidia-cuda -march=sm_80",
            "cuda",
            "sm_80",
        ),
        ("-fopenmp -fopenmp-targets=nvptx64 -Xopenmp-target -march=sm_70", "cuda", "sm_70"),
        ("-fopenmp --offload-arch=sm_90 --cuda-path=/usr", "cuda", "sm_90"),
        ("-fopenmp --offload-arch=native", "cuda", ""),
        ("-mp=gpu -gpu=cc80,cc86,managed -Minfo=mp", "cuda", "sm_80,sm_86"),
        ("-mp=multicore", "host", ""),
        ("-fopenmp -foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_35 -foffload-lto", "cuda", "sm_35"),
        ("-fopenmp -foffload=default", None, ""),
        ("-fopenmp -foffload=-lm", None, ""),
        ("-mp", None, ""),
        ("-fopenmp -march=native", None, ""),
        ("-fopenmp=libomp -fopenmp-extensions -Werror=openmp-mapping -Rpass-analysis=kernel-info", None, ""),
        ("-fopenmp=libgomp --offload-arch=sm_80", "cuda", "sm_80"),
        ("-mp -target=gpu -tp=host", "cuda", ""),
        ("-mp -target=multicore -tp=zen3", "host", ""),
    ],
)
def test_other_compilers_words(words: str, device: str | None, architecture: str) -> None:
    line = read([*words.split(), "-c", "a.c"])
    assert line.openmp
    assert (line.targets or ",".join(line.offload.devices or ()) or None) == device
    assert ",".join(line.offload.architectures) == architecture
    assert set(line.words()) <= {"-fopenmp", "-c", "a.c", "-march=native"}


def test_what_gcc_has_in_other_words() -> None:
    words = "-fopenmp -fopenmp-version=51 -Weverything -fcolor-diagnostics -c11 -gopt -fast -c a.c"
    line = read(words.split())
    assert line.version == "5.1"
    said = " ".join(line.words())
    assert said == "-fopenmp -Wextra -fdiagnostics-color -std=c11 -g -O2 -c a.c"


def test_the_openmp_version_may_be_a_word_of_its_own() -> None:
    for words in (["--openmp", "5.1"], ["--openmp=5.1"]):
        line = read([*words, "-fopenmp", "-c", "a.c"])
        assert (line.version, line.sources, line.words()) == ("5.1", ["a.c"], ["-fopenmp", "-c", "a.c"])


def test_an_input_is_in_the_language_of_the_x_before_it() -> None:
    words = "-xc a.cpp -x c++ b.c -O2 c.o -x none d.c e.cpp -x cpp-output f g.i"
    line = read(words.split())
    assert line.sources == ["a.cpp", "d.c", "f", "g.i"]
    assert [name for name, language in line.foreign if language == "C++"] == ["b.c", "c.o", "e.cpp"]
    assert " ".join(line.words()) == "-x c a.cpp -x c++ b.c -O2 c.o -x none d.c e.cpp -x cpp-output f g.i"
    objects = {source: f"{source}.o" for source in line.sources}
    assert " ".join(line.link_words(objects)) == "a.cpp.o -x c++ b.c -O2 c.o -x none d.c.o e.cpp f.o g.i.o"
    assert line.compile_words("a.cpp") == ["-O2", "-x", "c"]
    assert line.compile_words("d.c") == ["-O2"]


def test_c_in_a_file_with_any_name(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "scale.c").rename(project / "scale.cpp")
    (project / "main.c").rename(project / "main")
    (project / "compile_flags.txt").write_text("-xc++")  # somebody else's build
    cc("-fopenmp", TARGETS, "-x", "c", "scale.cpp", "main", "-o", "prog", where=project)
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "mandatory")
    assert said(project / "prog") == SAID


def test_cplusplus_in_a_file_with_any_name(project: Path) -> None:
    (project / "x.c").write_text("int main() { return new int == nullptr; }\n")
    cc("-fopenmp", TARGETS, "unused.c", "-x", "c++", "x.c", "-lstdc++", "-o", "prog", where=project)
    assert said(project / "prog") == ""


@pytest.mark.parametrize(
    ("line", "dependencies"),
    [
        ("-c -MMD a.c", "-MMD -MQ a.o -MF a.d"),
        ("-c -MD -MP sub/a.c -o out/b.o", "-MD -MP -MQ out/b.o -MF out/b.d"),
        ("-MMD a.c -o prog", "-MMD -MQ prog -MF prog.d"),
        ("-MMD a.c", "-MMD -MQ a.o -MF a-a.d"),
        ("-S -MMD -MT x -MFy a.c", "-MMD -MT x -MFy"),
        ("-c -Wp,-MMD,dep.d,-DN=5 a.c -o b.o", "-Xpreprocessor -MMD -Xpreprocessor dep.d"),
        ("-c -Wp,-DN,-MD,dep.d -Wp,-MT,x a.c", " ".join(f"-Xpreprocessor {w}" for w in ("-MD", "dep.d", "-MT", "x"))),
        ("-c -Xpreprocessor -MD -Xpreprocessor dep.d a.c", "-Xpreprocessor -MD -Xpreprocessor dep.d"),
        ("-c -Wp,-DN=5 a.c", ""),
    ],
)
def test_what_asks_for_a_dependency_file(line: str, dependencies: str) -> None:
    """Names are those that gcc 12 chooses; the preprocessor chooses its own."""
    found = read(line.split())
    assert " ".join(found.dependency_words(found.sources[0])) == dependencies
    assert "-M" not in " ".join([*found.compile_words(found.sources[0]), *found.link_words({})])


@pytest.mark.thorough
def test_the_preprocessors_dependency_files_name_the_users_files(project: Path) -> None:
    """As the Linux kernel's makefiles ask for them."""
    (project / "out").mkdir()
    cc("-fopenmp", TARGETS, "-Wp,-MMD,out/dep.d", "-c", "scale.c", "-o", "out/x.o", where=project)
    assert (project / "out/dep.d").read_text().split() == ["scale.o:", "scale.c", "vector.h"]
    command = [*CC.split(), "-fopenmp", TARGETS, "-MMD", "-x", "c", "-c", "-", "-o", "out/y.o"]
    subprocess.run(command, cwd=project, input=SCALE, text=True, check=True)
    assert (project / "out/y.d").read_text().split() == ["out/y.o:", "vector.h"]


def test_the_environments_dependency_file_names_the_users_files(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPENDENCIES_OUTPUT", f"{project}/dep.d all")
    cc("-fopenmp", TARGETS, "-c", "scale.c", where=project)
    assert (project / "dep.d").read_text().split() == ["all:", "scale.c", "vector.h"]
    cc("-fopenmp", TARGETS, "scale.o", "main.c", "-o", "prog", where=project)
    assert {word for word in (project / "dep.d").read_text().split() if "/" in word} == set()


def test_warnings_of_system_headers_are_not_about_generated_text(project: Path) -> None:
    region = "#pragma omp target map(tofrom: a[0:4])\n    a[0] = 0;\n"
    (project / "x.c").write_text(f"int main(void)\n{{\n    int a[4] = {{0}};\n{region}    return a[0];\n}}\n")
    words = ("-Wsystem-headers", "-Wlong-long", "-Wconversion", "-Wpadded", "-Wc++-compat", "-Werror", "x.c")
    subprocess.run(["gcc", "-fopenmp", "-fsyntax-only", *words], cwd=project, check=True)
    assert cc("-fopenmp", TARGETS, "-c", *words, where=project).stderr == ""
    assert ompls("run", "--device", "host", *words, cwd=project).stderr == ""


@pytest.mark.parametrize("text", ["int x", "foo bar baz"])
def test_what_is_no_c_is_refused_in_gccs_words(text: str, project: Path) -> None:
    (project / "x.c").write_text(text)
    refused = cc("-fopenmp", TARGETS, "-c", "x.c", where=project, code=1).stderr
    assert (
        refused == subprocess.run(["gcc", "-c", "x.c"], cwd=project, capture_output=True, text=True, check=False).stderr
    )
    command = [*CC.split(), "-fopenmp", TARGETS, "-x", "c", "-c", "-", "-o", "x.o"]
    done = subprocess.run(command, cwd=project, input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, "<stdin>:1:" in done.stderr, "ompls" in done.stderr) == (1, True, False)


def test_response_files_are_files(project: Path) -> None:
    (project / "words").write_text("-c 'a b.c'\n")
    assert read([f"@{project}/words", "@none"]).sources == ["a b.c"]
    os.mkfifo(project / "pipe")
    (project / "open").write_text("-DX='")
    for name, why in (("pipe", "is not a regular file"), ("", "is a directory"), ("open", "no closing quotation")):
        with pytest.raises(Problem, match=why):
            read([f"@{project}/{name}"])


def test_an_openmp_version_of_another_compiler_is_checked(project: Path) -> None:
    refused = cc("-fopenmp", "-fopenmp-version=77", "-c", "main.c", where=project, code=1).stderr
    assert "7.7" in refused
    assert "5.2" in refused


@pytest.mark.thorough
def test_makefiles_for_gpus_are_built_for_the_simulator(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a GPU; said once, where the program is linked. A source may come from standard input."""
    words = ["-fopenmp", "-fopenmp-targets=nvptx64-nvidia-cuda"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # a GPU that is here is not meant
    assert cc(*words, "-c", "scale.c", where=project).stderr == ""
    command = [*CC.split(), *words, "-x", "c", "-c", "-", "-o", "main.o"]
    subprocess.run(command, cwd=project, input=MAIN, text=True, check=True)
    assert cc(*words, "main.o", "scale.o", "-o", "prog", where=project).stderr.count("cudasim") == 1
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "mandatory")
    assert said(project / "prog") == SAID


def test_what_no_device_is_is_refused(project: Path) -> None:
    for words in (["-fopenmp-targets=amdgcn-amd-amdhsa"], ["--offload-arch=gfx90a"], ["-foffload=amdgcn-amdhsa"]):
        refused = cc("-fopenmp", *words, "-c", "main.c", where=project, code=1).stderr
        assert "cannot offload to amdgcn" in refused
        assert refused.count("\n") == 1
    cc("-fopenmp", "-foffload=disable", "main.c", "scale.c", "-o", "prog", where=project)
    assert said(project / "prog") == "7.5 0\n"
    static = cc("-fopenmp", TARGETS, "-static", "main.c", "scale.c", where=project, code=1).stderr
    assert static.startswith("ompls: error: cannot link a.out with -static: ")


def test_one_word_is_enough_for_cmake() -> None:
    project = Path(__file__).parents[2] / "pyproject.toml"
    scripts = project.read_text()
    assert 'ompls-cc = "ompls.__main__:cc"\n' in scripts
    assert 'ompls-gcc-ar = "ompls.gcc_tools:ar"\nompls-gcc-ranlib = "ompls.gcc_tools:ranlib"\n' in scripts
    code = "import sys; from ompls.__main__ import cc; sys.exit(cc())"
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("gcc ")
    for tool in ("ar", "ranlib"):  # what CMake looks for beside it, for LTO
        words = [sys.executable, "-c", f"from ompls.gcc_tools import {tool} as tool; tool()", "--version"]
        ours = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert ours == subprocess.run([f"gcc-{tool}", "--version"], capture_output=True, text=True, check=True).stdout


CPP = """#include <cstdio>
int main() {
    int x = 0;
#pragma omp target map(tofrom: x)
    x = 1;
    std::printf("%d\\n", x);
}
"""
STAYS = (
    "x.cpp:4: warning: target region in C++: ompls offloads those of C only: it stays on the host; "
    'move the region to a .c file behind extern "C"\n'
)


def test_regions_in_cplusplus_stay_on_the_host_and_it_says_so(project: Path) -> None:
    (project / "x.cpp").write_text(CPP)
    (project / "plain.cpp").write_text("// #pragma omp target\nint plain;\n")
    (project / "asm.s").write_text("")
    assert cc("-fopenmp", TARGETS, "-c", "x.cpp", "plain.cpp", "scale.c", "asm.s", where=project).stderr == STAYS
    assert {"x.o", "plain.o", "scale.o", "asm.o"} <= {p.name for p in project.iterdir()}
    assert cc("-fopenmp", TARGETS, "x.cpp", "scale.o", "-lstdc++", "-o", "prog", where=project).stderr == STAYS
    assert said(project / "prog") == "1\n"
    assert cc("-c", "x.cpp", where=project).stderr == ""


def test_regions_in_cplusplus_are_refused_where_they_are_to_be_offloaded(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "x.cpp").write_text(CPP)
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "mandatory")
    refused = cc("-fopenmp", TARGETS, "-c", "x.cpp", where=project, code=1).stderr
    assert refused.startswith("ompls: error: x.cpp:4: target region in C++: ")
    assert not (project / "x.o").exists()


def test_misspelt_pragmas_are_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "miss.c").write_text("void f(int *x)\n{\n#pragma omp taget\n*x = 1;\n#pragma opm target\n*x = 2;\n}\n")
    said = cc("-fopenmp", TARGETS, "-c", "miss.c", where=project).stderr
    assert "miss.c:3:13: warning: there is no OpenMP directive `taget`" in said
    assert "miss.c:5:9: warning: compilers ignore `#pragma opm target`" in said
    assert "error" not in said
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "mandatory")
    (project / "miss.o").unlink()
    said = cc("-fopenmp", TARGETS, "-c", "miss.c", where=project, code=1).stderr
    assert said.count(": error: ") == said.count("(OMP_TARGET_OFFLOAD is mandatory)") == 2
    assert not (project / "miss.o").exists()


def test_a_name_may_have_lines(project: Path) -> None:
    (project / "ma\nin.c").write_text(MAIN)
    cc("-fopenmp", TARGETS, "ma\nin.c", "scale.c", "-o", "prog", where=project)
    assert said(project / "prog") == SAID


def test_several_files_at_once(project: Path) -> None:
    cc("-fopenmp", TARGETS, "-O2", "-Wall", "-Werror", "main.c", "scale.c", "-o", "prog", where=project)
    assert said(project / "prog") == SAID


@pytest.mark.thorough
def test_objects_travel_without_their_sources(project: Path) -> None:
    for name in ("main", "scale", "unused"):
        cc("-fopenmp", TARGETS, "-c", f"{name}.c", where=project)
    subprocess.run(["ar", "rcs", "libvector.a", "scale.o", "unused.o"], cwd=project, check=True)
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    for name in ("main.o", "libvector.a"):
        (project / name).rename(elsewhere / name)
    for source in project.glob("*.[ch]"):
        source.unlink()
    cc("-fopenmp", TARGETS, "main.o", "-L.", "-lvector", "-o", "prog", where=elsewhere)
    assert said(elsewhere / "prog") == SAID
    assert b"ompls_unused" not in (elsewhere / "prog").read_bytes(), "an archive gives only what is needed"


@pytest.mark.thorough
def test_relocatable_links_and_shared_libraries(project: Path) -> None:
    cc("-fopenmp", TARGETS, "-c", "main.c", "-o", "a.o", where=project)
    cc("-fopenmp", TARGETS, "-c", "scale.c", "-o", "b.o", where=project)
    for openmp in ([], ["-fopenmp", TARGETS]):
        cc(*openmp, "-r", "a.o", "b.o", "-o", "both.o", where=project)
        cc("-fopenmp", TARGETS, "both.o", "-o", "prog", where=project)
        assert said(project / "prog") == SAID
    cc("-shared", "-fopenmp", TARGETS, "b.o", "-o", "libvector.so", where=project)
    cc("-fopenmp", TARGETS, "a.o", "-L", ".", "-lvector", "-Wl,-rpath,$ORIGIN", "-o", "shared", where=project)
    assert said(project / "shared") == SAID


@pytest.mark.thorough
def test_assembler_text_keeps_the_regions(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cc("-fopenmp", TARGETS, "-Wall", "-pedantic-errors", "-Werror", "-S", "main.c", "scale.c", where=project)
    subprocess.run(["gcc", "-c", "scale.s"], cwd=project, check=True)
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "mandatory")
    for inputs in (["main.s", "scale.s"], ["main.s", "scale.o"]):
        cc("-fopenmp", TARGETS, *inputs, "-o", "prog", where=project)
        assert said(project / "prog") == SAID


def test_lto_keeps_the_regions_of_archives(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The linker makes new objects of what an archive gives: what is beside the code in the old ones is lost."""
    words = ["-fopenmp", TARGETS, "-flto"]
    cc(*words, "-Wall", "-pedantic-errors", "-Werror", "-std=c99", "-c", "main.c", "scale.c", "unused.c", where=project)
    subprocess.run(["gcc-ar", "rcs", "libvector.a", "scale.o", "unused.o"], cwd=project, check=True)
    cc(*words, "main.o", "libvector.a", "-o", "prog", where=project)
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "mandatory")
    assert said(project / "prog") == SAID
    assert b"OMPLSB1" not in (project / "prog").read_bytes()


@pytest.mark.thorough
def test_lto_keeps_the_regions_elsewhere(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In objects alone, relocatable links (also gcc's own), shared libraries, objects that have both kinds of code."""
    words = ["-fopenmp", TARGETS, "-flto"]
    cc(*words, "-c", "main.c", "scale.c", where=project)
    cc(*words, "-r", "main.o", "scale.o", "-o", "both.o", where=project)
    subprocess.run(["gcc", "-flto", "-r", "scale.o", "-o", "gcc.o"], cwd=project, check=True)
    cc(*words, "-shared", "-fPIC", "scale.c", "-o", "libvector.so", where=project)
    cc(*words, "-ffat-lto-objects", "-c", "scale.c", "-o", "fat.o", where=project)
    subprocess.run(["ar", "rcs", "libfat.a", "fat.o"], cwd=project, check=True)
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "mandatory")
    for linked in (
        "-flto main.o scale.o", "-flto both.o", "-flto main.o gcc.o", "main.c gcc.o", "-flto main.o libfat.a",
        "-flto main.o -L. -lvector -Wl,-rpath,$ORIGIN", "-fno-lto main.c libfat.a", "-flto -g main.c scale.c",
    ):  # fmt: skip
        cc("-fopenmp", TARGETS, *linked.split(), "-o", "prog", where=project)
        assert said(project / "prog") == SAID, linked


def test_one_text_compiled_twice_is_two_units(project: Path) -> None:
    (project / "op.c").write_text(
        "void NAME(int *x) {\n    #pragma omp target map(tofrom: x[0:1])\n    x[0] = x[0] BY;\n}\n"
    )
    (project / "use.c").write_text(
        "#include <stdio.h>\nvoid a(int *); void b(int *);\n"
        'int main(void) { int x = 5; a(&x); b(&x); printf("%d\\n", x); }\n'
    )
    cc("-fopenmp", TARGETS, "-DNAME=a", "-DBY=* 7", "-c", "op.c", "-o", "1.o", where=project)
    cc("-fopenmp", TARGETS, "-DNAME=b", "-DBY=+ 1", "-c", "op.c", "-o", "2.o", where=project)
    cc("-fopenmp", TARGETS, "use.c", "1.o", "2.o", "-o", "prog", where=project)
    assert said(project / "prog") == "36\n"


@pytest.fixture
def compilers(project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """What gcc and g++ were called with since the last call."""
    (project / "bin").mkdir()
    for name in ("gcc", "g++"):
        script = project / "bin" / name
        script.write_text(f'#!/bin/sh\necho "{name} $*" >>{project}/log\nexec {shutil.which(name)} "$@"\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{project / 'bin'}:{os.environ['PATH']}")

    def taken() -> list[str]:
        lines = (project / "log").read_text().splitlines()
        (project / "log").unlink()
        return lines

    return taken


@pytest.mark.thorough
def test_kernels_that_did_not_change_are_not_compiled_again(project: Path, compilers: Callable[[], list[str]]) -> None:
    for target in ("host", "cudasim"):
        words = ["-fopenmp", f"-fopenmp-targets={target}", "main.c", "scale.c", "-o", "prog"]
        cc(*words, where=project)
        compilers()
        cc(*words, where=project)
        compiled = [line for line in compilers() if " -c " in line]
        assert len(compiled) == 2
        assert all("/host/" in line for line in compiled)
        assert said(project / "prog") == SAID


def test_objects_are_linked_once(project: Path, compilers: Callable[[], list[str]]) -> None:
    """Only what an archive gives is not known before."""
    for source in ("main", "scale", "unused"):
        cc("-fopenmp", TARGETS, "-c", f"{source}.c", where=project)
    subprocess.run(["ar", "rc", "libparts.a", "scale.o", "unused.o"], cwd=project, check=True)
    compilers()
    for words, times in ((["scale.o"], 1), (["-L.", "-lparts", "-Wl,-O1"], 2), (["libparts.a"], 2)):
        cc("-fopenmp", TARGETS, "main.o", *words, "-o", "prog", where=project)
        assert len([line for line in compilers() if line.startswith("gcc -fopenmp main.o")]) == times
        assert said(project / "prog") == SAID
        assert b"unused_" not in (project / "prog").read_bytes()


@pytest.mark.thorough
def test_make_with_dependency_files(project: Path) -> None:
    (project / "Makefile").write_text(
        f"CFLAGS = -fopenmp {TARGETS} -O1 -MMD\nLDFLAGS = -fopenmp {TARGETS}\n"
        "prog: main.o scale.o\n\t$(CC) $(LDFLAGS) $^ -o $@\n-include main.d scale.d\n"
    )

    def make() -> str:
        return subprocess.run(
            ["make", f"CC={CC}"], cwd=project, capture_output=True, text=True, check=True, timeout=300
        ).stdout

    make()
    assert said(project / "prog") == SAID
    assert (project / "main.d").read_text().split() == ["main.o:", "main.c", "vector.h"]
    assert "up to date" in make()
    later = (project / "prog").stat().st_mtime + 5
    os.utime(project / "vector.h", (later, later))
    assert make().count("-c -o") == 2, "both units include the header"


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not installed (apt: cmake)")
@pytest.mark.parametrize("lto", [False, True])
def test_cmake(project: Path, lto: bool) -> None:
    """As the environment's CC; with LTO, where it looks for tools beside the compiler, as one word."""
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nfind_package(OpenMP 5.0 REQUIRED)\n"
        f"set(CMAKE_INTERPROCEDURAL_OPTIMIZATION {int(lto)})\n"
        f"add_library(vector STATIC scale.c unused.c)\nadd_executable(prog main.c)\nadd_compile_options({TARGETS})\n"
        f"target_link_libraries(prog vector OpenMP::OpenMP_C {TARGETS})\n"
        "target_link_libraries(vector OpenMP::OpenMP_C)\n"
    )
    environment = {**os.environ, "CC": CC, "OMPLS_DEVICES": "host"}
    if lto:
        scripts = project / "bin"
        scripts.mkdir()
        for name, runs in (("cc", CC), ("gcc-ar", "gcc-ar"), ("gcc-ranlib", "gcc-ranlib")):
            (scripts / f"ompls-{name}").write_text(f'#!/bin/sh\nexec {runs} "$@"\n')
            (scripts / f"ompls-{name}").chmod(0o755)
        environment.update(CC="ompls-cc", PATH=f"{scripts}:{os.environ['PATH']}")
    build = project / "build"
    for command in (["cmake", "-S", project, "-B", build], ["cmake", "--build", build]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=500)
        assert done.returncode == 0, done.stdout + done.stderr
    assert said(build / "prog") == SAID


def test_what_has_no_regions_is_what_gcc_makes(project: Path) -> None:
    (project / "plain.c").write_text("int f(int n) { int s = 0;\n#pragma omp parallel for reduction(+: s)\n"
                                     "for (int i = 0; i < n; i++) s += i;\nreturn s; }\n")  # fmt: skip
    cc("-fopenmp", TARGETS, "-O2", "-g", "-c", "plain.c", "-o", "ours.o", where=project)
    subprocess.run(["gcc", "-fopenmp", "-O2", "-g", "-c", "plain.c", "-o", "gcc.o"], cwd=project, check=True)
    assert (project / "ours.o").read_bytes() == (project / "gcc.o").read_bytes()


@pytest.mark.parametrize("words", [["--version"], ["-E", "main.c"], ["-MM", "main.c"], ["-print-search-dirs"]])
def test_questions_are_answered_by_gcc(project: Path, words: list[str]) -> None:
    expected = subprocess.run(["gcc", *words], cwd=project, capture_output=True, text=True, check=True).stdout
    assert cc(*words, where=project).stdout == expected


@pytest.mark.thorough
def test_debug_information_speaks_of_the_users_file(project: Path) -> None:
    cc("-fopenmp", TARGETS, "-g", "main.c", "scale.c", "-o", "prog", where=project)
    lines = subprocess.run(
        ["gdb", "-batch", "-ex", "info line scale", "-ex", "info source", project / "prog"],
        capture_output=True, text=True, check=False,
    ) if shutil.which("gdb") else None  # fmt: skip
    if lines is None:
        pytest.skip("gdb is not installed (apt: gdb)")
    assert "scale.c" in lines.stdout
    assert "ompls-cc" not in lines.stdout


def test_mistakes_have_their_own_words(project: Path) -> None:
    (project / "broken.c").write_text("int f(int *x) {\n    #pragma omp target\n    x[0] = ;\n    return 0;\n}\n")
    assert "broken.c:3:" in cc("-fopenmp", TARGETS, "-c", "broken.c", where=project, code=1).stderr
    (project / "refused.c").write_text(
        "void f(int *x) {\n    #pragma omp target device(ancestor: 1)\n    x[0] = 1;\n}\n"
    )
    refused = cc("-fopenmp", TARGETS, "-c", "refused.c", where=project, code=1).stderr
    assert "refused.c:2:" in refused
    assert not (project / "refused.o").exists()
    assert (
        "unknown device 'abacus'" in cc("-fopenmp", "-fopenmp-targets=abacus", "main.c", where=project, code=1).stderr
    )
    assert "several source files" in cc("-c", "main.c", "scale.c", "-o", "x.o", where=project, code=1).stderr
    cc("-fopenmp", TARGETS, "-c", "main.c", where=project)
    wrong = cc("-fopenmp", "-fopenmp-targets=cudasim", "main.o", "scale.c", "-o", "prog", where=project, code=1).stderr
    assert "holds no kernels for 'cudasim'" in wrong


def test_a_damaged_section_is_noticed(project: Path) -> None:
    cc("-fopenmp", TARGETS, "-c", "scale.c", where=project)
    data = bytearray((project / "scale.o").read_bytes())
    at = data.index(b"OMPLSB1\0")
    data[at + 60] ^= 1
    (project / "scale.o").write_bytes(data)
    damaged = cc("-fopenmp", TARGETS, "main.c", "scale.o", "-o", "prog", where=project, code=1).stderr
    assert "damaged" in damaged


def test_a_library_that_gcc_compiled_sees_the_programs_devices(tmp_path: Path) -> None:
    (tmp_path / "lib.c").write_text("#include <omp.h>\nint devices(void) { return omp_get_num_devices(); }\n")
    library = ["gcc", "-fopenmp", "-foffload=disable", "-shared", "-fPIC", "lib.c", "-o", "libdevices.so"]
    subprocess.run(library, cwd=tmp_path, check=True)
    (tmp_path / "main.c").write_text(
        "#include <omp.h>\n#include <stdio.h>\nint devices(void);\nint main(void)\n{\n"
        "    int x = 1, (*also)(void) = omp_get_num_devices;\n#pragma omp target map(tofrom: x)\n    x = 2;\n"
        '    printf("%d %d %d %d\\n", omp_get_num_devices(), devices(), also(), x);\n    return 0;\n}\n'
    )
    words = ["-fopenmp", "-fopenmp-targets=host", "main.c", "-L.", "-ldevices", "-Wl,-rpath,$ORIGIN", "-o", "main"]
    ompls("cc", *words, cwd=tmp_path).check_returncode()
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 1 1 2\n", "")


def test_macros_that_regions_would_not_see_are_refused(project: Path) -> None:
    (project / "n.h").write_text("#define N 5\n")
    refused = cc("-fopenmp", "-fopenmp-targets=host", "-imacros", "n.h", "-c", "main.c", where=project, code=1).stderr
    assert "-imacros" in refused
    assert "use -include" in refused


@pytest.mark.parametrize("words", [["-Wp,-DN=5"], ["-idirafter", "inc"]])
def test_regions_see_the_macros_that_gcc_sees(project: Path, words: list[str]) -> None:
    (project / "inc").mkdir()
    (project / "inc/n.h").write_text("#define N 5\n")
    (project / "m.c").write_text(
        """#ifdef __has_include
#if __has_include("n.h")
#include "n.h"
#endif
#endif
#ifndef N
#define N 2
#endif
int main(void)
{
    int x = 0;
#pragma omp target map(from : x)
    x = N;
    return x == N && N == 5 ? 0 : 1;
}
"""
    )
    cc("-fopenmp", "-fopenmp-targets=host", *words, "m.c", "-o", "m", where=project)
    assert subprocess.run([project / "m"], check=False).returncode == 0


@pytest.mark.parametrize("words", [("-c",), ("-S",), ("-fsyntax-only",), ("-E",)])
def test_options_are_probed_with_nothing(words: tuple[str, ...]) -> None:
    """As Kbuild's `cc-option` does: what is read and what is written is /dev/null."""
    done = ompls("cc", "-fopenmp", *words, "-x", "c", "/dev/null", "-o", "/dev/null")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_object_that_nobody_wants_may_have_regions(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("void f(int *x) {\n#pragma omp target map(x[0:1])\nx[0] = 1;\n}\n")
    done = ompls("cc", "-fopenmp", "-c", "a.c", "-o", "/dev/null", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
