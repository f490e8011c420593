"""The baselines that every method is compared with."""

from __future__ import annotations

from lycosa.methods.seam import Method

_HERE = "lycosa.methods.baselines"

METHOD = Method(
    name="baselines",
    strategies={
        "breadth-first": f"{_HERE}.breadth_first:BreadthFirst",
        "best-first": f"{_HERE}.best_first:BestFirst",
        "best-first-page": f"{_HERE}.best_first_page:BestFirstPage",
        "anchor": f"{_HERE}.anchor:Anchor",
        "anchor-tree": f"{_HERE}.anchor_tree:AnchorTree",
        "link-context": f"{_HERE}.link_context:LinkContext",
        "shark-search": f"{_HERE}.shark_search:SharkSearch",
        "opic": f"{_HERE}.opic:Opic",
    },
    when={
        "breadth-first": "whole sites, or everything near the seeds",
        "best-first": "a topic, by a rule that is quickly explained: every score is a similarity",
    },
)
