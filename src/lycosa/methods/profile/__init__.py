"""Profiles on media-sharing sites [Zhang & Nasraoui 2009]: page types by path strings, what they say, ranks.

In: a Document and a site's PageTypes. Out: the page's type, its tags, uploader, sets and contacts, and the
kind of each link.
"""

from __future__ import annotations

from lycosa.methods.seam import Method

_HERE = "lycosa.methods.profile"

METHOD = Method(
    name="profile",
    strategies={"profile": f"{_HERE}.strategy:Profile"},
    when={"profile": "a site where people share media: profiles, and what they upload"},
    guides={"profile": "whose item it is, or what else of the site, and how well that fits the topic"},
    train=f"{_HERE}.commands:register",
    demo=f"{_HERE}.demo:run_demo",
)
