"""The baselines that every method is compared with."""

from __future__ import annotations

from lycosa.methods.seam import Lazy, Method

METHOD = Method(
    name="baselines",
    strategies={
        "breadth-first": Lazy(f"{__name__}.breadth_first:BreadthFirst"),
        "best-first": Lazy(f"{__name__}.best_first:BestFirst"),
        "best-first-page": Lazy(f"{__name__}.best_first_page:BestFirstPage"),
        "anchor": Lazy(f"{__name__}.link_text:Anchor"),
        "anchor-tree": Lazy(f"{__name__}.link_text:AnchorTree"),
        "link-context": Lazy(f"{__name__}.link_text:LinkContext"),
        "shark-search": Lazy(f"{__name__}.shark_search:SharkSearch"),
        "opic": Lazy(f"{__name__}.opic:Opic"),
    },
)
