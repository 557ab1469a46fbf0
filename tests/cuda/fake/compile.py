"""The compiler of the fake libnvrtc: compile.py DIRECTORY LABEL makes DIRECTORY/image and DIRECTORY/log from source.cu.

The image is cudasim's, with the alignments of each kernel's parameters added for the fake driver, which is given the
parameters as one buffer.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from ompls.devices.cudasim import module as cudasim
from ompls.runtime.errors import RuntimeProblem
from ompls.runtime.toolchain import Toolchain

KERNEL = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\(\w+\) )?(\w+)\(')
RENAMED = re.compile(r"^#define (\w+) (\w+)$", re.M)
ALIGNS = """
template <typename F> struct fake_aligns;
template <typename... P> struct fake_aligns<void (*)(P...)> {
    static constexpr unsigned of[sizeof...(P) + 1] = {alignof(P)..., 1};
};
"""


def main() -> int:
    """0, or 1 with the compiler's words in the log."""
    directory, label = Path(sys.argv[1]), sys.argv[2]
    source = directory / "source.cu"
    text = source.read_text()
    renamed = dict(RENAMED.findall(text.partition("#line 1\n")[0]))
    names = [renamed.get(name, name) for name in KERNEL.findall(text)]
    kernels = "".join(f"const unsigned *fake_aligns_{n} = fake_aligns<decltype(&{n})>::of;\n" for n in names)
    # As for a GPU, whose threads have one iteration each.
    source.write_text(
        f'#undef OMPLS_LOOPS\n#line 1\n{text}\n#line 1 "fake_aligns"\n{ALIGNS}extern "C" {{\n{kernels}}}\n'
    )
    try:
        with Toolchain() as tools:
            shutil.copyfile(cudasim.build_image(tools, [(source, label, names)]), directory / "image")
    except RuntimeProblem as error:
        (directory / "log").write_text(getattr(error, "output", str(error)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
