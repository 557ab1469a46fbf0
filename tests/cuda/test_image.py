"""What the device `cuda` does without pycuda and without a GPU: its image, its compilers, its reasons."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import fake
import pytest
from command import ompls
from thinned import thinned

from ompls.devices.cuda import module as cuda
from ompls.devices.cuda.module import image as cuda_image
from ompls.devices.cuda.module import nvrtc
from ompls.devices.cuda.module.image import Code, ImageError, KernelFile
from ompls.devices.cuda.module.needs import needs
from ompls.runtime.bundle import read_bundle
from ompls.runtime.devices import ImageJob
from ompls.runtime.errors import BuildFailed, DeviceUnavailable, RuntimeProblem, ToolMissing
from ompls.runtime.toolchain import Toolchain

SAXPY = """#include "ompls_device.cuh"
#line 7 "user.c"
extern "C" __global__ void saxpy(float a, float *x) { ompls_spmd_begin(); x[threadIdx.x] *= a; }
"""
FILES = [
    KernelFile({"a": [(0, 8), (8, 4)], "b": []}, [Code("cubin", 53, b"\x7fELF one"), Code("ptx", 90, b"//")]),
    KernelFile({"c": [(0, 12)]}, [Code("cubin", 53, b"")]),
]

without_driver = pytest.mark.skipif(cuda.DEVICE.probe().available, reason="this machine has a GPU")


def test_the_container_gives_back_what_was_put_in() -> None:
    assert cuda_image.unpack(cuda_image.pack(FILES)) == FILES


def test_a_damaged_container_is_an_error_at_every_length() -> None:
    whole = cuda_image.pack(FILES)
    for length in range(len(whole)):
        with pytest.raises(ImageError, match="the image is"):
            cuda_image.unpack(whole[:length])


# --- the native module's reader of the same ---------------------------------------------------------------------------


class _File(ctypes.Structure):
    """ompls_cuda_file of image.h."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("begin", "end", "kind", "code", "module")]


class Reader:
    """image.c."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))

    def read(self, image: bytes, gpu: int) -> list[tuple[str, str, int]] | ImageError:
        """Kernels, kind and place of the chosen code of each file."""
        files, error = ctypes.POINTER(_File)(), ctypes.create_string_buffer(4096)
        held = ctypes.create_string_buffer(image, len(image))
        where = (held, ctypes.c_uint64(len(image)), gpu, ctypes.byref(files), error)
        count = self._library.ompls_cuda_files(*where)
        if count < 0:
            return ImageError(error.value.decode(), error.raw[512:768].partition(b"\0")[0].decode())
        found = []
        for file in files[:count]:
            kernels = ctypes.create_string_buffer(200)
            self._library.ompls_cuda_kernels(ctypes.byref(file), kernels, ctypes.c_size_t(len(kernels)))
            kind = ctypes.string_at(file.kind).decode()
            found.append((kernels.value.decode(), kind, file.code - ctypes.addressof(held)))
        return found

    def has(self, image: bytes, kernel: str) -> bool:
        """Whether the first file has a kernel of that name."""
        files, error = ctypes.POINTER(_File)(), ctypes.create_string_buffer(4096)
        held = ctypes.create_string_buffer(image, len(image))
        self._library.ompls_cuda_files(held, ctypes.c_uint64(len(image)), 53, ctypes.byref(files), error)
        return bool(self._library.ompls_cuda_has_kernel(files, kernel.encode()))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """As a library."""
    library = tmp_path_factory.mktemp("reader") / "reader.so"
    flags = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
    source = Path(cuda_image.__file__).with_name("image.c")
    subprocess.run(["gcc", *flags, source, "-o", library], check=True)
    return Reader(library)


def test_the_native_module_reads_the_container(reader: Reader) -> None:
    image = cuda_image.pack(FILES)
    found = reader.read(image, 53)
    assert isinstance(found, list)
    assert [file[:2] for file in found] == [("a, b", "cubin"), ("c", "cubin")]
    assert image[found[0][2] :].startswith(b"\x7fELF one\0")
    assert all(at % cuda_image.ALIGNMENT == 0 for _, _, at in found)
    assert [reader.has(image, name) for name in ("a", "b", "c", "", "ab")] == [True, True, False, False, False]
    assert "is damaged" not in str(reader.read(image, 90))


def test_the_native_module_refuses_a_damaged_container(reader: Reader) -> None:
    whole = cuda_image.pack(FILES)
    for length in range(len(whole)):
        assert str(reader.read(whole[:length], 53)).startswith("the image is")


# (kind, capability) of what there is; the GPU's capability; which is taken, by place.  CUDA programming guide, "Binary
# Compatibility" and "PTX Compatibility".
CHOICES = [
    ([("cubin", 80), ("cubin", 87)], 87, 1),
    ([("cubin", 80), ("cubin", 87)], 86, 0),
    ([("cubin", 80), ("cubin", 87)], 89, 0),
    ([("ptx", 80), ("cubin", 86)], 87, 0),
    ([("cubin", 86)], 87, None),  # Orin
    ([("cubin", 87)], 89, None),
    ([("cubin", 70)], 72, None),  # Xavier
    ([("cubin", 72)], 75, None),
    ([("cubin", 61)], 62, None),  # X2
    ([("cubin", 52)], 53, None),  # X1
    ([("cubin", 100)], 101, None),  # Thor
    ([("cubin", 101)], 103, None),
    ([("cubin", 110)], 110, 0),
    ([("cubin", 80), ("ptx", 70)], 89, 0),
    ([("cubin", 80), ("ptx", 70)], 90, 1),
    ([("cubin", 80), ("ptx", 90)], 75, None),
    ([("ptx", 53)], 120, 0),
    ([("cubin", 53)], 87, None),
    ([], 87, None),
]


@pytest.mark.parametrize(("has", "gpu", "taken"), CHOICES)
def test_the_best_code_is_chosen(has: list[tuple[str, int]], gpu: int, taken: int | None, reader: Reader) -> None:
    file = KernelFile({}, [Code(kind, capability, b"%d" % number) for number, (kind, capability) in enumerate(has)])
    image = cuda_image.pack([file])
    native = reader.read(image, gpu)
    if taken is None:
        assert isinstance(native, ImageError)
        assert f"the GPU's compute capability is {gpu // 10}.{gpu % 10}" in native.reason
        with pytest.raises(ImageError, match=f"the GPU's compute capability is {gpu // 10}.{gpu % 10}") as caught:
            file.best_for(gpu)
        near = any(code.kind == "cubin" and code.capability // 10 == gpu // 10 for code in file.code)
        assert ("a Tegra chip runs on no other GPU" in str(caught.value)) == near
        assert caught.value.hint.endswith(f"or with OMPLS_CUDA_ARCH={gpu // 10}.{gpu % 10}")
        assert native.hint == caught.value.hint
    else:
        assert file.best_for(gpu) is file.code[taken]
        assert isinstance(native, list)
        assert image[native[0][2] :].startswith(b"%d\0" % taken)


@pytest.mark.parametrize(
    ("parameters", "places"),
    [
        ([], []),
        ([(8, 8), (4, 4), (8, 8)], [(0, 8), (8, 4), (16, 8)]),
        ([(1, 1), (8, 1), (2, 2)], [(0, 1), (1, 8), (10, 2)]),
        ([(1, 1), (12, 4), (16, 16)], [(0, 1), (4, 12), (16, 16)]),
    ],
)
def test_parameters_lie_as_in_a_struct(parameters: list[tuple[int, int]], places: list[tuple[int, int]]) -> None:
    assert cuda_image.slots(parameters) == places
    values = [bytes([i + 1]) * size for i, (size, _) in enumerate(parameters)]
    buffer = cuda_image.packer(places).pack(*values)
    assert [buffer[at : at + size] for at, size in places] == values


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("8.7, sm_53", [(53, "cubin"), (87, "cubin")]),
        ("compute_53,sm_53,5.3", [(53, "cubin"), (53, "ptx")]),
        ("90;", None),
        ("x", None),
        ("sm_90a", None),
    ],
)
def test_architectures_are_read(
    text: str, wanted: list[tuple[int, str]] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if wanted is not None:
        assert cuda_image.targets(text) == wanted
        return
    monkeypatch.setenv("OMPLS_CUDA_ARCH", text)
    with pytest.raises(DeviceUnavailable, match="is not a compute capability; write"):
        cuda.DEVICE.architectures()


def test_the_users_options_that_matter_go_along() -> None:
    assert cuda_image.options(["-O3", "-ffp-contract=off", "-g"]) == ["--fmad=false", "-lineinfo"]
    assert cuda_image.options(["-ffp-contract=off", "-ffp-contract=fast"]) == []


def _source(tmp_path: Path, text: str = SAXPY) -> Path:
    path = tmp_path / "saxpy.cu"
    path.write_text(text)
    return path


needs_nvrtc = pytest.mark.skipif(nvrtc.available() is None, reason="needs the package ompls[cuda-preview]")


@needs_nvrtc
@pytest.mark.parametrize("capability", [53, 87, 90])
def test_cubins_of_real_architectures(capability: int, tmp_path: Path) -> None:
    with Toolchain(tmp_path / "cache") as tools:
        code = cuda_image.compile_file(tools, _source(tmp_path), capability)
        again = cuda_image.compile_file(tools, _source(tmp_path), capability)
    assert (code.kind, code.capability, code.data[:4]) == ("cubin", capability, b"\x7fELF")
    (machine,) = struct.unpack_from("<H", code.data, 18)
    assert machine == 190  # EM_CUDA
    assert again == code


@needs_nvrtc
def test_an_architecture_of_the_future_gets_ptx(tmp_path: Path) -> None:
    with Toolchain(tmp_path / "cache") as tools:
        code = cuda_image.compile_file(tools, _source(tmp_path), 990)
    assert code.kind == "ptx"
    assert code.capability == nvrtc.architectures()[-1]
    assert b".entry saxpy" in code.data
    assert code.runs_on(990)


@needs_nvrtc
def test_an_architecture_of_the_past_names_the_way_out(tmp_path: Path) -> None:
    with (
        Toolchain(tmp_path / "cache") as tools,
        pytest.raises(ToolMissing, match=r"CUDA 3\.0 to 8\.0 knows it; set OMPLS_NVRTC"),
    ):
        cuda_image.compile_file(tools, _source(tmp_path), 20)


@needs_nvrtc
def test_an_error_is_at_the_users_line(tmp_path: Path) -> None:
    with Toolchain(tmp_path / "cache") as tools, pytest.raises(BuildFailed) as caught:
        cuda_image.compile_file(tools, _source(tmp_path, SAXPY.replace("*= a", "*= b")), 87)
    assert "user.c(7): error:" in caught.value.output


ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [*sorted((ROOT / "examples").glob("*.c")), *sorted((ROOT / "bench/gpu/omp").glob("*.c"))]


@needs_nvrtc
@pytest.mark.parametrize("source", thinned(PROGRAMS, len(PROGRAMS), of_rest=9), ids=lambda path: path.stem)
def test_every_program_has_code_for_real_gpus(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_CUDA_ARCH", "5.3, 8.7, 9.0")
    words = [sys.executable, "-m", "ompls", "translate", "--device", "cuda", source, "-o", tmp_path / "bundle"]
    subprocess.run(words, check=True)
    kernels = read_bundle(tmp_path / "bundle").kernels("gpu")
    with Toolchain(tmp_path / "cache") as tools:
        image = cuda.DEVICE.build_image(ImageJob(tools, kernels)).read_bytes()
    files = cuda_image.unpack(image)
    names = [kernel.name for kernel, _ in kernels]
    names += [cuda_image.second_version(kernel.name)[0] for kernel, _ in kernels if kernel.only_read]
    assert sorted(name for file in files for name in file.kernels) == sorted(names)
    assert all([code.capability for code in file.code] == [53, 87, 90] for file in files)
    assert {code.kind for file in files for code in file.code} == {"cubin"}


@needs_nvrtc
@pytest.mark.parametrize("source", sorted((ROOT / "bench/gpu/cuda").glob("*.cu")), ids=lambda path: path.stem)
def test_kernels_by_hand_compile(source: Path, tmp_path: Path) -> None:
    with Toolchain(tmp_path / "cache") as tools:
        assert cuda_image.compile_file(tools, source, 87).data.startswith(b"\x7fELF")


@needs_nvrtc
def test_machine_code_and_ptx_are_chosen_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_CUDA_ARCH", "sm_87,compute_53")
    words = [sys.executable, "-m", "ompls", "translate", "--device", "cuda", ROOT / "examples/saxpy.c"]
    subprocess.run([*words, "-o", tmp_path / "bundle"], check=True)
    with Toolchain(tmp_path / "cache") as tools:
        image = cuda.DEVICE.build_image(ImageJob(tools, read_bundle(tmp_path / "bundle").kernels("gpu")))
        file, _ = cuda_image.unpack(image.read_bytes())
    assert [(code.capability, code.kind) for code in file.code] == [(53, "ptx"), (87, "cubin")]
    assert b".target sm_53" in file.code[0].data
    assert (file.best_for(87).kind, file.best_for(75).kind) == ("cubin", "ptx")


# Of the kernels of bench/gpu/cuda: loads that go through the read-only path, and all loads of global memory.
READ_ONLY = {"conv3d": [(33, 33)], "gramschmidt": [(5, 5), (2, 2), (10, 20)], "atax": [(10, 11), (10, 11)]}


@needs_nvrtc
@pytest.mark.parametrize("name", READ_ONLY)
def test_what_is_only_read_takes_the_read_only_path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_CUDA_ARCH", "compute_53")
    done = ompls("translate", "--device", "cuda", ROOT / f"bench/gpu/omp/{name}.c", "-o", tmp_path / "bundle")
    assert done.returncode == 0, done.stderr
    with Toolchain(tmp_path / "cache") as tools:
        image = cuda.DEVICE.build_image(ImageJob(tools, read_bundle(tmp_path / "bundle").kernels("gpu")))
    code = {entry: file.code[0].data for file in cuda_image.unpack(image.read_bytes()) for entry in file.kernels}
    loads = {entry: (ptx.count(b"ld.global.nc"), ptx.count(b"ld.global")) for entry, ptx in code.items()}
    second = [entry for entry in sorted(loads) if entry.endswith("_restrict")]
    assert all(f".entry {entry}(".encode() in code[entry] for entry in loads)
    assert all(loads[entry.removesuffix("_restrict")][0] == 0 for entry in second)
    for entry, (few, all_) in zip(second, READ_ONLY[name], strict=True):
        assert loads[entry][0] * all_ >= loads[entry][1] * few, loads


def test_nvcc_is_taken_when_there_is_no_nvrtc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nvcc = cuda_image.find_nvcc()
    if nvcc is None:
        pytest.skip("nvcc is not installed (apt: nvidia-cuda-toolkit)")
    monkeypatch.setattr(nvrtc, "available", lambda: None)
    with Toolchain(tmp_path / "cache") as tools:
        code = cuda_image.compile_file(tools, _source(tmp_path), 90)
    assert (code.kind, code.data[:4]) == ("cubin", b"\x7fELF")


def test_no_compiler_is_an_error_with_a_next_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "available", lambda: None)
    monkeypatch.setattr(cuda_image, "find_nvcc", lambda: None)
    with Toolchain(tmp_path / "cache") as tools, pytest.raises(ToolMissing, match="pip install"):
        cuda_image.compile_file(tools, _source(tmp_path), 90)


@without_driver
def test_without_a_gpu_the_device_says_why() -> None:
    state = cuda.DEVICE.probe()
    assert not state.available
    assert state.reason
    assert state.hint
    words = [sys.executable, "-m", "ompls"]
    listed = subprocess.run([*words, "devices"], capture_output=True, text=True, check=True)
    assert f"cuda       not available: {state.reason}; {state.hint}" in listed.stdout
    source = Path(__file__).resolve().parents[2] / "examples" / "saxpy.c"
    done = subprocess.run([*words, "run", "--device", "cuda", source], capture_output=True, text=True, check=False)
    assert done.returncode == 125
    assert done.stderr == f"ompls: error: device 'cuda' is not available: {state.reason}; {state.hint}\n"


def test_an_empty_driver_library_is_no_gpu(tmp_path: Path) -> None:
    subprocess.run(["gcc", "-shared", "-x", "c", "-", "-o", tmp_path / "libcuda.so.1"], input=b"", check=True)
    env = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    words = [sys.executable, "-m", "ompls", "devices"]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(
        "cuda       not available: the NVIDIA driver has no cuInit; install a driver of CUDA 10.2"
    )
    assert done.stderr == ""


@without_driver
@needs_nvrtc
def test_who_names_the_gpus_builds_for_them_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["cc", "-fopenmp", "-fopenmp-targets=cuda", ROOT / "examples/saxpy.c", "-o", tmp_path / "saxpy"]
    monkeypatch.delenv("OMPLS_CUDA_ARCH", raising=False)
    assert "there is no" in ompls(*words).stderr
    monkeypatch.setenv("OMPLS_CUDA_ARCH", "sm_53,sm_87")
    monkeypatch.setenv("OMPLS_CUDA", "native")
    done = ompls(*words)
    assert (done.returncode, done.stderr) == (0, "")
    program = tmp_path / "saxpy"
    assert program.read_bytes().count(b"\x7fELF") == 5  # the program, and two versions for two GPUs
    assert subprocess.run([program], check=False, capture_output=True).returncode == 0  # on the host
    monkeypatch.setenv("OMP_TARGET_OFFLOAD", "mandatory")
    assert subprocess.run([program], check=False, capture_output=True).returncode == 125


@pytest.mark.thorough
def test_the_fake_driver_is_one_of_todays_simulator(tmp_path: Path) -> None:
    """It is made of the simulator's sources."""
    fake.build(tmp_path)
    assert {path.name for path in tmp_path.glob("lib*")} == {"libcuda.so.1", "libnvrtc.so"}


# --- compilers of other generations -----------------------------------------------------------------------------------

NVCC = """#!/bin/sh
case "$*" in
*--version*) echo "release 10.2"; exit ;;
*-arch=sm_53*|*-arch=compute_53*) ;;
*) echo "nvcc fatal   : Value 'sm_?' is not defined for option 'gpu-architecture'" >&2; exit 1 ;;
esac
case "$*" in *-Xptxas*) cat >&2 <<'.'
ptxas info    : Compiling entry function 'saxpy' for 'sm_53'
ptxas info    : Function properties for saxpy
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 12 registers, 96 bytes smem, 376 bytes cmem[0]
.
esac
while [ "$1" != -o ]; do shift; done
printf '\\177ELF of nvcc' >"$2"
"""


@pytest.fixture
def nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that knows 5.3 alone."""
    path = tmp_path / "bin/nvcc"
    path.parent.mkdir()
    path.write_text(NVCC)
    path.chmod(0o755)
    monkeypatch.setattr(cuda_image, "find_nvcc", lambda: str(path))


@pytest.fixture
def generation(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The fake compiler of one CUDA."""
    fake.compiler(tmp_path / "libnvrtc.so", request.param)
    monkeypatch.setenv("OMPLS_NVRTC", str(tmp_path / "libnvrtc.so"))
    nvrtc._library.cache_clear()
    yield request.param
    nvrtc._library.cache_clear()


def _made(tmp_path: Path, capability: int, kind: str = "cubin", text: str = SAXPY) -> tuple[str, int]:
    with Toolchain(tmp_path / "cache") as tools:
        code = cuda_image.compile_file(tools, _source(tmp_path, text), capability, kind=kind)
    assert code.data.startswith(b"\x7fELF") or code.kind == "ptx"
    return code.kind, code.capability


@pytest.mark.parametrize(
    ("generation", "asked", "made"),
    [
        (1002, 53, ("ptx", 53)),
        (1002, 87, ("ptx", 75)),
        (1102, 87, ("cubin", 87)),
        (1209, 53, ("cubin", 53)),
        (1209, 990, ("ptx", 90)),
        (1300, 121, ("cubin", 121)),
    ],
    indirect=["generation"],
)
def test_each_generation_makes_what_it_can(
    generation: int, asked: int, made: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_image, "find_nvcc", lambda: None)
    assert _made(tmp_path, asked) == made
    assert nvrtc.version() == divmod(generation, 100)


@pytest.mark.parametrize("generation", [1002, 1300], indirect=True)
def test_nvcc_makes_what_nvrtc_does_not(generation: int, nvcc: None, tmp_path: Path) -> None:
    assert _made(tmp_path, 53) == ("cubin", 53)
    assert _made(tmp_path, 53, "ptx")[0] == "ptx"
    assert _made(tmp_path, 87)[1] == (75 if generation == 1002 else 87)  # which nvcc refuses


@pytest.mark.parametrize("generation", [1002, 1300], indirect=True)
def test_nvcc_tells_the_resources_that_nvrtc_cannot(generation: int, nvcc: None) -> None:
    told = needs({"k": SAXPY.encode()}, "sm_53")
    assert (told.target, told.rows) == ("sm_53", [("saxpy", "12", "96", "16", "8", "4")])
    if generation == 1002:  # else nvrtc tells
        assert needs({"k": SAXPY.encode()}, "").target == "sm_53"
        with pytest.raises(RuntimeProblem, match=r"cannot compile for sm_87: nvcc fatal .*--list-gpu-arch"):
            needs({"k": SAXPY.encode()}, "sm_87")


def test_nvcc_tells_the_resources_without_nvrtc(nvcc: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable() -> bool:
        raise nvrtc.NvrtcUnavailable("there is none")

    monkeypatch.setattr(nvrtc, "makes_cubins", unavailable)
    assert needs({"k": SAXPY.encode()}, "sm_53").rows[0][1] == "12"


@pytest.mark.parametrize("generation", [1300], indirect=True)
def test_who_knows_an_architecture_is_said(generation: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_image, "find_nvcc", lambda: None)
    with pytest.raises(ToolMissing, match=r"nvrtc 13\.0 makes nothing for sm_53; CUDA 7\.0 to 12\.9 knows it"):
        _made(tmp_path, 53)
    with pytest.raises(RuntimeProblem, match=r"nvrtc 13\.0 does not know it; CUDA 7\.0 to 12\.9 knows it; set OMPLS"):
        needs({"k": SAXPY.encode()}, "sm_53")
    assert needs({"k": SAXPY.encode()}, "").target == "sm_75"  # the oldest that it knows


@pytest.mark.parametrize("generation", [1002], indirect=True)
def test_what_cuda_10_2_lacks_is_said(generation: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_image, "find_nvcc", lambda: None)
    with pytest.raises(BuildFailed) as caught:
        _made(tmp_path, 53, text=SAXPY.replace("float a", "__int128 a"))
    assert "error: nvrtc 10.2 has no __int128; CUDA 11.5 and later have\n" in caught.value.output
    with pytest.raises(RuntimeProblem, match=r"nvrtc 10\.2 stops at PTX.*CUDA 11\.1 or later"):
        needs({"k": SAXPY.encode()}, "sm_53")
