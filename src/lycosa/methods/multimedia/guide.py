"""Images as a guide of `fused`: what a page's images show is evidence for its links.

Links are never held or refused: they wait by everything else that is known of them, and are ranked again when an
image of their page shows what is wanted. A page's images are fetched one by one until one does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lycosa.methods.multimedia.images import ImageEvidence
from lycosa.methods.multimedia.led_to import LedTo
from lycosa.methods.multimedia.rules import nearness
from lycosa.methods.multimedia.shown import HIT, IMAGES_FIRST, candidates, keys_of_image
from lycosa.methods.strategy import BaseStrategy, Step
from lycosa.values import (
    Decision,
    Fact,
    Image,
    Judgement,
    Kind,
    Link,
    Memo,
    Merge,
    Page,
    Reason,
    Refusal,
    Score,
)

PAGES = 256
"""Pages whose images are being looked at, at most: where images come too slowly, the oldest page goes without."""
_64_BITS = (1 << 64) - 1


class Near(Memo, frozen=True, tag="near-image"):
    """On links of pages that show what is sought: V, how near to the image."""

    visual: float


class Looked(NamedTuple):
    """A page whose images are being looked at."""

    links: tuple[Link, ...]
    score: float  # of the page
    images: tuple[Image, ...]  # of which nothing was known when the page came


class ShownImages(BaseStrategy):
    """Says of a link whether its page shows what is sought, and how far from it the link is."""

    merge: Merge = Merge.KEEP

    def __init__(self, looks: ImageEvidence, max_images: int, fade: float) -> None:
        self.needs = (looks,)
        self.max_images = max_images
        self.fade = fade
        self.shown_: dict[int, bool] = {}  # images looked at: whether they show what is sought
        self.looked_: dict[int, Looked] = {}  # by the page's key
        self.led_to_ = LedTo()

    def rank(self, page: Page, judgement: Judgement) -> list[Step]:
        """All links wait; where nothing is known of the page's images yet, these are asked for."""
        if page.link.kind is Kind.IMAGE:
            return self._seen(page)
        images = candidates(page.images)
        hits = [image for image in images if self.shown_.get(image.key)]
        if hits:
            self.led_to_.shows(page.link.key)
        steps: list[Step] = [self._decide(link, judgement.score, hits) for link in page.links]
        unseen = {image.key: image for image in images if image.key not in self.shown_}
        asked = list(unseen.values())[: self.max_images]
        if hits or not asked or not page.links:
            return steps
        if len(self.looked_) >= PAGES:
            del self.looked_[next(iter(self.looked_))]
        self.looked_[page.link.key] = Looked(page.links, judgement.score, tuple(images))
        depth, parent = page.link.depth, page.link.key
        links = [Link(one.url, one.key, kind=Kind.IMAGE, depth=depth, parent=parent) for one in asked]
        return [*steps, *_one_by_one(links)]

    def settle(self, links: Sequence[Link], value: float | None) -> list[Decision]:
        """The image before these has come, or will not: ask for the next, if the page still needs it."""
        if links[0].parent in self.looked_ and (
            unseen := [one for one in links if one.key not in self.shown_]
        ):
            return _one_by_one(unseen)
        return [
            Decision(link, refusal=Refusal(Reason.NOT_NEEDED), rule="an image of a page") for link in links
        ]

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """Remember what images show and what links of their pages led to; a resumed crawl learns it again."""
        if link.kind is Kind.PAGE:
            if Near.of(link):
                self.led_to_.shows(link.parent)
            self.led_to_.learn(link.key, _relevance(judgement), link.parent)
        elif link.kind is Kind.IMAGE and isinstance(fact := evidence.get("image"), Score):
            is_hit = fact.value >= HIT
            self.shown_ |= dict.fromkeys(keys_of_image(link), is_hit)
            if is_hit:
                self.led_to_.shows(link.parent)

    def rejudged(self, judgements: Mapping[int, Judgement]) -> None:
        """Let pages count for what they are taken for now."""
        for key, judgement in judgements.items():
            self.led_to_.correct(key, _relevance(judgement))

    def log_odds(self, decision: Decision) -> float:
        """The visual part alone: words, parents and all else are the business of whoever is guided.

        An image never speaks against a link: where such pages lead to less than others do, it says nothing.
        """
        near = Near.of(decision.link)
        return max(self.led_to_.lift, 0.0) * near.visual if near else 0.0

    def _seen(self, image: Page) -> list[Step]:
        """An image was looked at: a hit speaks for the links of every page that waited for it."""
        keys = keys_of_image(image.link)
        steps: list[Step] = []
        for page, looked in list(self.looked_.items()):
            places = [one for one in looked.images if one.key in keys]
            if places and self.shown_.get(image.link.key):
                self.led_to_.shows(page)
                steps += [self._decide(link, looked.score, places) for link in looked.links]
                del self.looked_[page]
            elif places and all(one.key in self.shown_ for one in looked.images):
                del self.looked_[page]
        return steps

    def _decide(self, link: Link, score: float, hits: Sequence[Image]) -> Decision:
        """Let a link wait; `hits` are the images of its page that show what is sought."""
        if not hits:
            return Decision(link, score, rule="multimedia: no such image on its page is known")
        visual = max(nearness(link.position, image.after_link, self.fade) for image in hits)
        return Decision(
            Near(round(visual, 4)).on(link), score, rule="multimedia: its page shows such an image"
        )


def _relevance(judgement: Judgement) -> float:
    return min(max(judgement.score, 0.0), 1.0)


def _one_by_one(images: Sequence[Link]) -> list[Decision]:
    """Ask for the first; the others are held until it has come."""
    first, *rest = images
    hold = f"images of {first.parent & _64_BITS:x}"
    return [
        Decision(first, IMAGES_FIRST, rule="an image of a page"),
        *(
            Decision(one, hold=hold, waits_for=(first.key,), rule="waits for the image before it")
            for one in rest
        ),
    ]
