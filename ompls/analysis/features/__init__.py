"""What an editor shows besides diagnostics, as plain values: hover texts, places of lenses, proposals, tokens, symbols.

Offsets are bytes of the main file.  Nothing here raises, whatever the text and the offset.
"""

from ompls.analysis.features.completion import Completion, completions, finished
from ompls.analysis.features.counts import counts, counts_wanted
from ompls.analysis.features.directivelines import directive_lines
from ompls.analysis.features.environment import Environment, environment
from ompls.analysis.features.explain import Reason, explain
from ompls.analysis.features.folding import Fold, folds, selections
from ompls.analysis.features.hover import hover
from ompls.analysis.features.inactive import inactive
from ompls.analysis.features.inlay import Inlay, inlays
from ompls.analysis.features.navigation import Target, definitions, references, word_at
from ompls.analysis.features.pragmas import Pragma, pragmas
from ompls.analysis.features.refactor import IMPLIED, Action, applied, refactorings
from ompls.analysis.features.regions import (
    LensPart,
    RegionPlace,
    body_of,
    lens_count,
    lens_parts,
    lenses,
    region_at,
    region_ids,
    region_near,
    regions,
)
from ompls.analysis.features.renaming import Refusal, rename, rename_at
from ompls.analysis.features.signature import Signature, signature
from ompls.analysis.features.taskgraphs import graph_lenses, graph_near, graph_places
from ompls.analysis.features.tokens import Token, tokens

__all__ = [
    "IMPLIED",
    "Action",
    "Completion",
    "Environment",
    "Fold",
    "Inlay",
    "LensPart",
    "Pragma",
    "Reason",
    "Refusal",
    "RegionPlace",
    "Signature",
    "Target",
    "Token",
    "applied",
    "body_of",
    "completions",
    "counts",
    "counts_wanted",
    "definitions",
    "directive_lines",
    "environment",
    "explain",
    "finished",
    "folds",
    "graph_lenses",
    "graph_near",
    "graph_places",
    "hover",
    "inactive",
    "inlays",
    "lens_count",
    "lens_parts",
    "lenses",
    "pragmas",
    "refactorings",
    "references",
    "region_at",
    "region_ids",
    "region_near",
    "regions",
    "rename",
    "rename_at",
    "selections",
    "signature",
    "tokens",
    "word_at",
]
