"""Multimedia evidence (Tsikrika et al.): the words around a link, and what the images of its page show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Self, get_args

import msgspec

from lycosa.errors import SpecError
from lycosa.evidence.images import ImageEvidence, ImageModel, is_small
from lycosa.evidence.link_text import LinkText
from lycosa.evidence.text_model import TextModel
from lycosa.strategies import BaseStrategy, Step
from lycosa.strategies.preparation import Preparation
from lycosa.values import Decision, Fact, Image, Judgement, Kind, Link, Page, Reason, Refusal, Release

Selection = Literal["text", "visual", "both", "either"]
Exploration = Literal["none", "text", "visual", "both"]

HIT = 0.5
"""An image scored so by its model shows what is sought."""
IMAGES_FIRST = 2.0
"""The priority of images: above every page, because links wait for them."""
_64_BITS = (1 << 64) - 1


def score(rule: Selection, text: float, visual: bool, t1: float, t2: float) -> float:
    """The estimated relevance of a link: also its place in the queue (the paper leaves the order open).

        f' = T    f'' = V    f''' = T · V    f_S = T + (t1 - t2) · V          [Tsikrika et al., 3]

    >>> [score(rule, 0.4, True, 0.7, 0.25) for rule in ("text", "visual", "both", "either")]
    [0.4, 1.0, 0.4, 0.85]
    """
    match rule:
        case "text":
            return text
        case "visual":
            return float(visual)
        case "both":
            return text * visual
        case "either":
            return text + (t1 - t2) * visual


def is_selected(rule: Selection, text: float, visual: bool, t1: float, t2: float) -> bool:
    """Whether a link is followed.

        f', f''' : score >= t1    f'' : V    f_S : T >= t1, or V and T >= t2

    f_S is not computed as `score >= t1`, which rounding would break where T = t2.

    >>> is_selected("either", 0.2, True, 0.7, 0.2), is_selected("either", 0.2, False, 0.7, 0.2)
    (True, False)
    >>> is_selected("both", 0.9, False, 0.0, 0.0)
    False
    """
    match rule:
        case "text":
            return text >= t1
        case "visual":
            return visual
        case "both":
            return visual and text >= t1
        case "either":
            return text >= t1 or (visual and text >= t2)


def is_explored(rule: Exploration, text: float, visual: bool, t3: float) -> bool:
    """Whether a link that is not selected is worth a look at what lies behind it.

        f'_E : T >= t3    f''_E : V    f'''_E : V and T >= t3          [Tsikrika et al., 3.2]

    >>> is_explored("text", 0.3, False, 0.2), is_explored("both", 0.3, False, 0.2)
    (True, False)
    """
    match rule:
        case "none":
            return False
        case "text":
            return text >= t3
        case "visual":
            return visual
        case "both":
            return visual and text >= t3


def next_trail(trail: int, k: int) -> int | None:
    """How deep a page explored from a page at this depth of a trail is; None: deeper than k.

    >>> next_trail(0, 1), next_trail(1, 1), next_trail(1, 2)
    (1, None, 2)
    """
    return trail + 1 if trail < k else None


class Multimedia(BaseStrategy):
    """Follows links with promising words, and less promising ones on pages that show such an image.

    With exploration, up to `k` unpromising pages are looked through for what they may block.
    """

    def __init__(
        self,
        *,
        selection: Selection = "either",
        t1: float = 0.6,
        t2: float = 0.5,
        exploration: Exploration = "none",
        t3: float = 0.2,
        k: int = 1,
        links: str = "",
        images: str = "",
        rule: str = "mean",
        max_images: int = 20,
    ) -> None:
        """Store the settings.

        selection: what selects a link: its text (f'), its page's images (visual, f''), both (f''') or either (f_S).
        t1: the text score from which a link is selected.
        t2: with `either`, the text score that suffices on a page with such an image; below t1.
        exploration: which other links are only looked through: none, text (f'_E), visual (f''_E) or both (f'''_E).
        t3: the text score from which a link is explored; below t1, and with `either` at most t2.
        k: so many pages in a row are explored at most.
        links: a link classifier from `lycosa train links`; without one, the topic's classifier or words.
        images: an image model from `lycosa train images`; without one, the built-in one of heatmaps.
        rule: how the image model's machines decide together: mean, or (the paper), or one of them.
        max_images: so many images of a page are fetched at most.
        """
        self.selection = selection
        self.t1 = t1
        self.t2 = t2
        self.exploration = exploration
        self.t3 = t3
        self.k = k
        self.links = links
        self.images = images
        self.rule = rule
        self.max_images = max_images

    def fit(self, preparation: Preparation) -> Self:
        """Load the models; where the text alone decides, no image is ever fetched."""
        super().fit(preparation)
        self._check()
        model = TextModel.load(Path(self.links)) if self.links else preparation.models.get("text")
        words = LinkText(model) if model else preparation.topic
        self.text_ = words.name
        if not any(kind.name == words.name for kind in self.needs):
            self.needs = (*self.needs, words)
        if self.selection != "text" or self.exploration in ("visual", "both"):
            looks = ImageModel.load(Path(self.images)) if self.images else ImageModel.builtin()
            self.needs = (*self.needs, ImageEvidence(looks.with_rule(self.rule)))
        self.shown_: dict[int, bool] = {}  # images looked at: whether they show what is sought
        self.waiting_: dict[int, set[str]] = {}  # image -> the holds that wait for it
        self.hold_of_: dict[int, str] = {}  # link -> the hold that has it
        self.others_: dict[str, list[Link]] = {}  # hold -> links of its page that another hold has
        return self

    def _check(self) -> None:
        """Refuse settings that contradict each other."""
        for name, allowed in (("selection", get_args(Selection)), ("exploration", get_args(Exploration))):
            if getattr(self, name) not in allowed:
                raise SpecError(
                    f"multimedia.{name} is {getattr(self, name)!r}. Use one of: {', '.join(allowed)}."
                )
        if self.selection == "either" and not 0 <= self.t2 < self.t1:
            raise SpecError(f"multimedia.t2 is {self.t2:g} and t1 {self.t1:g}. Give 0 <= t2 < t1.")
        if self.exploration in ("text", "both"):
            most = min(self.t1, self.t2) if self.selection == "either" else self.t1
            if self.t3 > most or self.t3 >= self.t1:
                raise SpecError(f"multimedia.t3 is {self.t3:g}. Give at most t2, and less than t1.")

    def rank(self, page: Page, judgement: Judgement) -> list[Step]:
        """Decide on links by their words where these suffice; hold the others for the page's images."""
        if page.link.kind is Kind.IMAGE:
            return self._seen(page)
        scores = page.link_evidence[self.text_]
        links = [
            msgspec.structs.replace(link, memo={"t": round(text, 4), "d": page.link.trail})
            for link, text in zip(page.links, scores, strict=True)
        ]
        images = [image for image in page.images if _is_candidate(image)]
        if any(self.shown_.get(image.key, False) for image in images):
            return [self._decide(link, True) for link in links]
        unseen = [image for image in images if image.key not in self.shown_][: self.max_images]
        if not unseen or not any(self._depends(link) for link in links):
            return [self._decide(link, False) for link in links]
        return self._wait(page, links, unseen)

    def settle(self, links: Sequence[Link], value: float | None) -> list[Decision]:
        """Decide on links that waited for images; without a value none of them showed what is sought."""
        for link in links:
            self.others_.pop(self.hold_of_.pop(link.key, ""), None)
        return [self._decide(link, bool(value)) for link in links]

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """Remember what images show; a resumed crawl need not look at them again."""
        if link.kind is Kind.IMAGE and "image" in evidence:
            self.shown_[link.key] = evidence["image"].value >= HIT

    def _wait(self, page: Page, links: Sequence[Link], images: Sequence[Image]) -> list[Step]:
        hold = f"images of {page.link.key & _64_BITS:x}"
        keys = tuple(image.key for image in images)
        steps: list[Step] = []
        for link in links:
            if not self._depends(link):
                steps.append(self._decide(link, False))
                continue
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
        holds = sorted(self.waiting_.pop(image.link.key, ()))
        if not self.shown_.get(image.link.key):
            return []
        steps: list[Step] = []
        for hold in holds:
            # Links that another page's hold has: what this page says of them is told at once.
            steps += [self._decide(link, True) for link in self.others_.pop(hold, ())]
            steps.append(Release(hold, 1.0))
        return steps

    def _depends(self, link: Link) -> bool:
        """Whether images can change what is done with a link."""
        return self._trail(link, True) != self._trail(link, False)

    def _trail(self, link: Link, visual: bool) -> int | None:
        """0: selected; more: explored at that depth; None: refused."""
        text = link.memo["t"]
        if is_selected(self.selection, text, visual, self.t1, self.t2):
            return 0
        explored = is_explored(self.exploration, text, visual, self.t3)
        return next_trail(link.memo["d"], self.k) if explored else None

    def _decide(self, link: Link, visual: bool) -> Decision:
        text, trail = link.memo["t"], self._trail(link, visual)
        priority = score(self.selection, text, visual, self.t1, self.t2)
        shown = "its page shows such an image" if visual else "no such image on its page"
        if trail is None:
            refusal = Refusal(Reason.LOW_PRIORITY, f"text {text:.2f}, {shown}")
            return Decision(link, priority, refusal, rule="multimedia: neither selected nor explored")
        if trail:
            link = msgspec.structs.replace(link, trail=trail)
            return Decision(link, priority, rule=f"multimedia: explored ({shown})")
        return Decision(link, priority, rule=f"multimedia: selected ({shown})")


def _is_candidate(image: Image) -> bool:
    """Whether an image may be worth fetching, by what the markup says of it."""
    drawn = image.url.lower().partition("?")[0].endswith((".svg", ".svgz", ".ico"))
    return not drawn and not is_small(image.width, image.height)
