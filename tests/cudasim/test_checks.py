"""`--check`: what cudasim's checks find in wrong kernels, on which lines, and that they are silent about right ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ctypes import c_double, c_int
from dataclasses import dataclass
from pathlib import Path

import pytest
import sim

Check = Callable[..., list[str]]
GUIDE = "CUDA C++ Programming Guide"


HEAD = '#include "ompls_device.cuh"\n__device__ int counter, lock, ready;\n'


def kernel(name: str, body: str) -> str:
    """Its body begins on line 5."""
    head = f'#line 3\nextern "C" __global__ void {name}(int *out, int *in, double *large)\n'
    return f"{head}{{ const int t = threadIdx.x;\n{body}\n}}\n"


@pytest.fixture
def checked(module: sim.Module, monkeypatch: pytest.MonkeyPatch) -> Iterator[Check]:
    """Runs a kernel of the file `path`; its findings.

    `out` has 64 elements that nobody has written, `in` has 64, `large` 4096, both with values.
    """
    devices: list[sim.Device] = []

    def run(
        path: Path, name: str, grid: object = 1, block: object = 64, *, chosen: str = "", shared: int = 0
    ) -> list[str]:
        monkeypatch.setenv("OMPLS_CHECK", chosen)
        devices.append(sim.Device(module, 0, sim.build(path, checked=True)))
        device = devices[-1]
        out, given, large = device.alloc(256), device.array(c_int, [1] * 64), device.array(c_double, [1.0] * 4096)
        sim.findings()
        device.launch(name, grid, block, out, given, large, shared=shared)
        return sim.findings()

    yield run
    for device in devices:
        device.close()


@pytest.fixture
def check(checked: Check, tmp_path: Path) -> Check:
    """Runs `body` as the one kernel of wrong.cu."""

    def run(body: str, *how: object, **more: object) -> list[str]:
        (tmp_path / "wrong.cu").write_text(HEAD + kernel("wrong", body))
        return checked(tmp_path / "wrong.cu", "wrong", *how, **more)

    return run


@dataclass
class Wrong:
    """A kernel with a defect that a GPU may not show, and the finding."""

    name: str
    body: str
    says: str
    grid: object = 1
    block: object = 64


WRONG = [
    Wrong(
        "all threads write one element",
        "out[0] = t;",
        r"wrong.cu:5: data race on ''\+1: thread 1 of block 0 writes it, thread 0 of block 0 writes it at wrong.cu:5,"
        r".*\[races\]",
    ),
    Wrong(
        "blocks write one element",
        "if (t == 0)\n in[0] = 1;",
        r"wrong.cu:6: data race .* thread 0 of block 1 writes it, thread 0 of block 0 writes it.*teams have no common",
        2,
    ),
    Wrong(
        "a neighbour is read without a barrier",
        "in[t] = t;\nout[t] = in[t ^ 1];",
        r"wrong.cu:\d: data race .* at wrong.cu:[56],",
    ),
    Wrong(
        "a neighbour is overwritten without a barrier",
        "__shared__ int s[64]; s[t] = t;\n__syncthreads();\nint v = s[63 - t];\ns[t] = v; out[t] = 1;",
        r"wrong.cu:[78]: data race on 's'\+0: .* at wrong.cu:[78]",
    ),
    Wrong(
        "the barrier of other threads",
        "in[t] = t;\nif (t < 32) ompls_sim_barrier(1, 32); else ompls_sim_barrier(2, 32);\nout[t] = in[63 - t];",
        r"wrong.cu:[57]: data race .* at wrong.cu:[57]",
    ),
    Wrong(
        "a shuffle orders no memory",
        "in[t] = t;\nint v = __shfl_down_sync(0xffffffffu, t, 1);\nout[t] = v + in[t ^ 1];",
        r"wrong.cu:7: data race .* at wrong.cu:5",
        1,
        32,
    ),
    Wrong(
        "atomic and plain",
        "atomicAdd(&counter, 1);\nif (t == 7)\n counter = 3;",
        r"wrong.cu:\d: data race on 'counter'\+0: .*(atomically.*writes it|writes it.*atomically)",
    ),
    Wrong(
        "a flag without a fence",
        "if (t == 0) { in[5] = 2;\n atomicExch(&ready, 1); }\nif (t == 40) { while (atomicAdd(&ready, 0) == 0) {}\n"
        " out[0] = in[5]; }",
        r"wrong.cu:8: data race .* at wrong.cu:5",
    ),
    Wrong(
        "bytes of one word are two objects, one byte is not",
        "char *c = (char *)in; c[t] = 1;\nif (t == 9)\n c[8] = 2;",
        r"wrong.cu:7: data race .* thread 8 of block 0 writes it at wrong.cu:5",
    ),
    Wrong(
        "nobody has written it",
        "in[t] =\n out[t];",
        r"wrong.cu:6: uninitialised read of ''\+1: thread 0 of block 0 reads 4 bytes that nobody has written; map it",
    ),
    Wrong(
        "shared memory begins with anything",
        "__shared__ int s[64]; if (t < 32) s[t] = t;\n__syncthreads();\nout[t] = s[t];",
        r"wrong.cu:7: uninitialised read of 's'\+0: thread \d+ .*shared memory begins with anything \[uninit\]",
    ),
    Wrong(
        "another thread's local variable",
        "__shared__ int *p; int mine[4]; mine[t % 4] = t; if (t == 0) p = mine;\n__syncthreads();\n"
        "out[t] = p[t % 4]; __syncthreads();",
        r"wrong.cu:7: another thread's local memory, .*PTX ISA.*\[memory\]",
    ),
]


@pytest.fixture(scope="module")
def all_of_them(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernels of WRONG and RIGHT in one file: g++ is started once."""
    path = tmp_path_factory.mktemp("checks") / "wrong.cu"
    wrong = [kernel(f"wrong{number}", case.body) for number, case in enumerate(WRONG)]
    right = [kernel(f"right{number}", UNLESS_ALONE + body) for number, body in enumerate(RIGHT.values())]
    path.write_text(HEAD + "".join((*wrong, *right)))
    return path


@pytest.mark.parametrize("number", range(len(WRONG)), ids=[case.name.replace(" ", "-") for case in WRONG])
def test_a_defect_is_found_on_its_lines(checked: Check, all_of_them: Path, number: int) -> None:
    case = WRONG[number]
    found = checked(all_of_them, f"wrong{number}", case.grid, case.block)
    assert any(re.search(case.says, line) for line in found), found
    assert len(found) <= 2  # and nothing else


UNLESS_ALONE = "if (blockIdx.x > 0 && gridDim.x == 1) return; "
RIGHT = {
    "a neighbour after a barrier": "in[t] = t; __syncthreads(); out[t] = in[63 - t];",
    "lanes after __syncwarp": "in[t] = t; __syncwarp(); out[t] = in[t ^ 1];",
    "a named barrier": "in[t] = t; ompls_sim_barrier(1, 64); out[t] = in[63 - t];",
    "what some threads wrote before they left": "in[t] = t; if (t >= 32) return; __syncthreads(); out[t] = in[63 - t];",
    "own elements in turns": "for (int i = t; i < 4096; i += 64) large[i] = large[i] + t;",
    "atomics": "atomicAdd(&counter, 1); atomicMax(&in[0], t);",
    "bytes of one word": "char *c = (char *)in; c[t] = 1; __syncthreads(); out[t] = c[63 - t];",
    "an atomic byte beside plain ones": "char *c = (char *)in;"
    " if (t % 2) c[t] = 1; else ompls_atomic<ompls_add, char>(&c[0], 1);",
    "a critical section": "ompls_critical(&lock, [&] { in[0] += 1; });",
    "one flag and fences": "if (t == 0) { in[5] = 2; __threadfence(); atomicExch(&ready, 1); }"
    " if (t == 40) { while (atomicAdd(&ready, 0) == 0) {} __threadfence(); out[0] = in[5]; }",
    "the last block adds up": "__shared__ int last; if (t == 0) out[blockIdx.x] = 1; __syncthreads();"
    " if (t == 0) { __threadfence(); last = atomicAdd(&counter, 1) == gridDim.x - 1; __threadfence(); }"
    " __syncthreads();"
    " if (last && t < gridDim.x) in[t] = out[t];",
    "everybody reads": "int sum = 0; for (int i = 0; i < 64; i++) sum += in[i]; if (blockIdx.x == 0) out[t] = sum;",
    "copies by the C library": "if (t == 0) { memcpy(out, in, 4 * blockDim.x); memset(in, 0, 64); }",
    "malloc": "int *p = (int *)malloc(64); for (int i = 0; i < 16; i++) p[i] = t; free(p);",
    "shared memory of one block after the other": "__shared__ int s[64]; s[t] = t; __syncthreads();"
    " if (s[63 - t] < 0) out[t] = 1;",
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_kernels_are_left_alone(checked: Check, all_of_them: Path, name: str) -> None:
    grid = 3 if "block" in name or name in {"atomics", "a critical section", "everybody reads"} else 1
    assert checked(all_of_them, f"right{[*RIGHT].index(name)}", grid) == []


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("out[t + 1] = 1;", r"wrote device address 0x\w+, which is not allocated \(at wrong.cu:5\)"),
        ("((char *)out)[t * 4 + 3 + (t == 63)] = 1;", r"wrote device address 0x\w+00, which is not allocated"),
        (
            "extern __shared__ int s[]; s[t] = 1; out[t] = s[t];",
            r"wrote byte 128 of dynamic shared memory: .* asks for 128",
        ),
    ],
)
def test_steps_outside_are_seen_to_the_byte(check: Check, body: str, says: str) -> None:
    with pytest.raises(sim.SimError, match=says):
        check(body, shared=128)


def test_checks_are_chosen(check: Check) -> None:
    body = "out[0] = t; in[t] = out[t];"
    assert {line[line.rindex("[") :] for line in check(body)} == {"[races]", "[uninit]"}
    assert {line[line.rindex("[") :] for line in check(body, chosen="uninit")} == {"[uninit]"}
    assert check(body, chosen="none") == []


@pytest.mark.thorough
def test_how_a_warp_touches_memory_is_estimated(check: Check) -> None:
    apart = "for (int i = 0; i < 16; i++)\n large[t * 32 + i] = 1;"
    assert re.fullmatch(
        r"wrong.cu:6: uncoalesced access to .* 4.0 times the .*\[coalescing\]", *check(apart, chosen="coalescing")
    )
    assert check("for (int i = 0; i < 64; i++) large[i * 64 + t] = 1;", chosen="coalescing,banks") == []
    column = "volatile __shared__ float s[64][32];\ns[t][0] = 1;"
    assert re.fullmatch(
        r"wrong.cu:6: bank conflicts in 's'\+0: .* 3[12].\d times .*\[banks\]", *check(column, chosen="banks")
    )
    assert check(column.replace("[32]", "[33]"), chosen="banks") == []


def test_what_is_known_is_said_once(module: sim.Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPLS_CHECK", "")
    path = tmp_path / "again.cu"
    path.write_text('extern "C" __global__ void again(int *out) { out[0] = threadIdx.x; }\n')
    with sim.Device(module, 0, sim.build(path, checked=True)) as device:
        out = device.array(c_int, [0])
        for _ in range(5):
            device.launch("again", 2, 32, out)
    assert len(sim.findings()) == 1


def test_a_check_that_there_is_not_is_told(module: sim.Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plain.cu"
    path.write_text('extern "C" __global__ void plain(int *out) { out[0] = 1; }\n')
    image = sim.build(path, checked=True)
    for chosen, wrong in (("raes", "raes"), ("memory,bank,all", "bank"), ("races uninit", "races uninit")):
        monkeypatch.setenv("OMPLS_CHECK", chosen)
        with pytest.raises(sim.SimError, match=f"OMPLS_CHECK: there is no check '{wrong}'"):
            sim.Device(module, 0, image)
    monkeypatch.setenv("OMPLS_CHECK", ",memory,")
    sim.Device(module, 0, image).close()
