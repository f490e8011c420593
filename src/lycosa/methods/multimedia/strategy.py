"""Multimedia evidence [Tsikrika et al.]: the words around a link and the images of its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

import msgspec
from pydantic import Field

from lycosa.errors import SpecError
from lycosa.evidence.link_text import LinkText
from lycosa.evidence.text_model import TextModel
from lycosa.methods import BaseStrategy, Step
from lycosa.methods.multimedia.guide import ShownImages
from lycosa.methods.multimedia.images import ImageEvidence, ImageModel
from lycosa.methods.multimedia.rules import (
    Exploration,
    Selection,
    is_explored,
    is_selected,
    nearness,
    next_t2,
    next_trail,
    score,
    with_parent,
)
from lycosa.methods.multimedia.shown import HIT, IMAGES_FIRST, candidates, keys_of_image
from lycosa.methods.preparation import Preparation
from lycosa.spec.sections import BelowOne, NotNegative, NotNegativeInt
from lycosa.values import (
    Decision,
    Fact,
    Image,
    Judgement,
    Kind,
    Link,
    Memo,
    Page,
    Reason,
    Refusal,
    Release,
    Score,
)

MAX_IMAGES = 50
"""Held links store the images they wait for, and a memo is small."""
_64_BITS = (1 << 64) - 1


class Scored(Memo, frozen=True, tag="multimedia", rename={"text": "t", "trail": "d", "images": "i"}):
    """What is known of a link before the images of its page are."""

    text: float = 0.0
    trail: int = 0  # of its page
    images: tuple[tuple[int, int], ...] = ()  # that it waits for: key, and the last link before it


@dataclass(kw_only=True, eq=False)
class Multimedia(BaseStrategy):
    """Follows links with promising words, and less promising ones on pages that show such an image.

    With exploration, up to `k` unpromising pages are looked through for what they may block.
    """

    guides = "whether a page that links to it shows such an image, and what such pages have led to"

    selection: Selection = "either"
    """What selects a link: its text (f'), its page's images (visual, f''), both (f''') or either (f_S)."""
    t1: float = 0.5
    """The text score from which a link is selected."""
    t2: float = 0.2
    """With `either`, the text score that suffices on a page with such an image; below t1."""
    exploration: Exploration = "none"
    """Which other links are only looked through: none, text (f'_E), visual (f''_E) or both (f'''_E)."""
    t3: float = 0.2
    """The text score from which a link is explored; below t1, and with `either` at most t2."""
    k: NotNegativeInt = 1
    """At most this many pages in a row are explored."""
    links: str = ""
    """A link classifier from `lycosa train links`; without one, the topic's classifier or words."""
    images: str = ""
    """An image model from `lycosa train images`; without one, the built-in one of heatmaps."""
    rule: str = "mean"
    """How the image model's machines decide together: mean, or (the paper), or one of them."""
    max_images: Annotated[int, Field(ge=1, le=MAX_IMAGES)] = 20
    """At most this many images of a page are fetched."""
    parent: BelowOne = 0.0
    """How much the text of the page a link is on counts in its text score; 0 as the paper, below 1."""
    fade: NotNegative = 0.0
    """This many links away from the image it counts half; 0 as the paper: the same all over the page."""
    target: BelowOne = 0.0
    """T2 moves until this share of the pages that only images select is relevant; 0 as the paper: it
    stays."""

    def fit(self, preparation: Preparation) -> Self:
        """Load the models; where the text alone decides, no image is ever fetched."""
        super().fit(preparation)
        model = (
            TextModel.load(preparation.folder / self.links, "links")
            if self.links
            else preparation.models.get("text")
        )
        words = LinkText(model) if model else preparation.topic
        self.text_ = words.name
        if not any(kind.name == words.name for kind in self.needs):
            self.needs = (*self.needs, words)
        self.looks_: ImageEvidence | None = None
        if self.selection != "text" or self.exploration in ("visual", "both"):
            named = preparation.folder / self.images
            looks = ImageModel.load(named) if self.images else ImageModel.builtin()
            self.looks_ = ImageEvidence(looks.with_rule(self.rule))
            self.needs = (*self.needs, self.looks_)
        self.t2_ = self.t2
        self.shown_: dict[int, bool] = {}  # images looked at: whether they show what is sought
        self.waiting_: dict[int, set[str]] = {}  # image -> the holds that wait for it
        self.hold_of_: dict[int, str] = {}  # link -> the hold that has it
        self.others_: dict[str, list[Link]] = {}  # hold -> links of its page that another hold has
        return self

    def as_guide(self) -> ShownImages:
        """What images show, and nothing else: who is guided has words of its own, and refuses nothing."""
        if self.looks_ is None:
            raise SpecError(
                f"multimedia.selection is {self.selection!r} and no image is looked at, but images are all that multimedia has to "
                "say where another strategy ranks. Leave selection out, or all of [multimedia]."
            )
        return ShownImages(self.looks_, self.max_images, self.fade)

    def check(self, folder: Path) -> None:
        """Refuse settings that contradict each other."""
        super().check(folder)
        if self.selection == "either" and not 0 <= self.t2 < self.t1:
            raise SpecError(f"multimedia.t2 is {self.t2:g} and t1 {self.t1:g}. Give 0 <= t2 < t1.")
        if self.exploration in ("text", "both"):
            highest = min(self.t1, self.t2) if self.selection == "either" else self.t1
            if self.t3 > highest or self.t3 >= self.t1:
                raise SpecError(f"multimedia.t3 is {self.t3:g}. Give at most t2, and less than t1.")

    def rank(self, page: Page, judgement: Judgement) -> list[Step]:
        """Decide on links by their words where these suffice; hold the others for the page's images."""
        if page.link.kind is Kind.IMAGE:
            return self._seen(page)
        links = [
            (link, Scored(round(with_parent(text, judgement.score, self.parent), 4), page.link.trail))
            for link, text in zip(page.links, page.link_evidence[self.text_], strict=True)
        ]
        images = candidates(page.images)
        hit = next((image for image in images if self.shown_.get(image.key)), None)
        if hit:
            return [
                self._decide(link, memo, nearness(link.position, hit.after_link, self.fade), hit.key)
                for link, memo in links
            ]
        unseen = [image for image in images if image.key not in self.shown_][: self.max_images]
        if not unseen or not any(self._depends(memo) for _, memo in links):
            return [self._decide(link, memo, 0.0) for link, memo in links]
        return self._wait(page, links, unseen)

    def settle(self, links: Sequence[Link], value: float | None) -> list[Decision]:
        """Decide on links that waited for the images in their memos."""
        for link in links:
            self.others_.pop(self.hold_of_.pop(link.key, ""), None)
        return [self._settled(link) for link in links]

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """Remember what images show, and whether images led well; a resumed crawl learns it again."""
        if link.kind is Kind.IMAGE:
            if isinstance(fact := evidence.get("image"), Score):
                self.shown_ |= dict.fromkeys(keys_of_image(link), fact.value >= HIT)
        elif self.target and link.notes.opened_by and not link.trail:
            self.t2_ = next_t2(self.t2_, judgement.relevant, self.target, self.t1)

    def _wait(self, page: Page, links: Sequence[tuple[Link, Scored]], images: Sequence[Image]) -> list[Step]:
        hold = f"images of {page.link.key & _64_BITS:x}"
        keys = tuple(image.key for image in images)
        places = tuple((image.key, image.after_link) for image in images)
        steps: list[Step] = []
        for found, memo in links:
            if not self._depends(memo):
                steps.append(self._decide(found, memo, 0.0))
                continue
            link = msgspec.structs.replace(memo, images=places).on(found)
            if self.hold_of_.setdefault(link.key, hold) != hold:
                self.others_.setdefault(hold, []).append(link)
            steps.append(Decision(link, hold=hold, waits_for=keys, rule="waits for the images of its page"))
        for image in images:
            self.waiting_.setdefault(image.key, set()).add(hold)
            link = Link(image.url, image.key, kind=Kind.IMAGE, depth=page.link.depth, parent=page.link.key)
            steps.append(Decision(link, IMAGES_FIRST, rule="an image of a page"))
        return steps

    def _seen(self, image: Page) -> list[Step]:
        """An image was looked at: a hit settles every page that waited for it."""
        holds = sorted({hold for key in keys_of_image(image.link) for hold in self.waiting_.pop(key, ())})
        if not self.shown_.get(image.link.key):
            return []
        steps: list[Step] = []
        for hold in holds:
            # Links held by another page are decided at once by this page's image.
            steps += [self._settled(link) for link in self.others_.pop(hold, ())]
            steps.append(Release(hold, 1.0))
        return steps

    def _settled(self, link: Link) -> Decision:
        """Decide on a link that waited for images."""
        memo = Scored.of(link) or Scored()
        near = [
            (nearness(link.position, after, self.fade), key)
            for key, after in memo.images
            if self.shown_.get(key)
        ]
        return self._decide(link, msgspec.structs.replace(memo, images=()), *max(near, default=(0.0, 0)))

    def _depends(self, memo: Scored) -> bool:
        """Whether images can change what is done with a link."""
        return self._trail(memo, 1.0) != self._trail(memo, 0.0)

    def _trail(self, memo: Scored, visual: float) -> int | None:
        """0: selected; more: explored at that depth; None: refused."""
        text = memo.text
        if is_selected(self.selection, text, visual, self.t1, self.t2_):
            return 0
        explored = is_explored(self.exploration, text, visual, self.t3)
        return next_trail(memo.trail, self.k) if explored else None

    def _decide(self, link: Link, memo: Scored, visual: float, image: int = 0) -> Decision:
        text, trail, link = memo.text, self._trail(memo, visual), memo.on(link)
        priority = score(self.selection, text, visual, self.t1, self.t2_)
        shown = "its page shows such an image" if visual else "no such image on its page"
        if trail is None:
            refusal = Refusal(Reason.LOW_PRIORITY, f"text {text:.2f}, {shown}")
            return Decision(link, priority, refusal, rule="multimedia: neither selected nor explored")
        if visual and self._trail(memo, 0.0) != trail:
            link = link.note(opened_by=image)
        if trail:
            link = msgspec.structs.replace(link, trail=trail)
            return Decision(link, priority, rule=f"multimedia: explored ({shown})")
        return Decision(link, priority, rule=f"multimedia: selected ({shown})")
