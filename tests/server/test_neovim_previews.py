"""How previews follow the cursor in a real Neovim."""

from __future__ import annotations

from pathlib import Path

from .test_neovim import needs_neovim, run

TEXT = """void one(int n, int *x) {
#pragma omp target map(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] = n;
}

void two(int n, int *x) {
#pragma omp target map(x[0:n])
  for (int i = 0; i < n; i++)
    x[i]++;
}
int three(int n) { return n; }
"""


@needs_neovim
def test_a_preview_follows_into_regions_only_and_colours_what_is_linked(tmp_path: Path) -> None:
    assert run("neovim_follows.lua", TEXT, tmp_path) == [
        "behind the regions: two_0.cu",
        "between the regions: two_0.cu",
        "above the regions: two_0.cu",
        "in another region: one_0.cu",
        "pinned before the answer: one_0.cu",
        "left before the answer: one_0.cu",
        "coloured: 1, true",
        "coloured in the source alone: 0",
        "coloured again: 1, true",
        "coloured in the preview alone: 0",
        "in another file: other_0.cu",
        "env in the preview: = x[0:n]  references: 1 or more; 4*n bytes; host and device have the same values",
        "kept: the same",
        "graph: steps: 3 tasks, 3 levels, 2 edges, 1 in the largest, 4 bytes mapped at once",
        "task:  * level 4  3: target, line 5 [i=3]  after 2 (x[0])",
        "its line: #pragma omp target nowait depend(inout: x[0]) map(x[0:1])",
    ]
