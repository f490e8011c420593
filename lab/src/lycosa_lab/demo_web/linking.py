"""The links between pages of the demo web, with their anchors.

Topical locality is imperfect on purpose: pages link to their own site, to their topic elsewhere and to random pages.
Some anchors name the target, some say "read more" after a sentence that does, some say nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from lycosa_lab.demo_web import prose
from lycosa_lab.demo_web.plan import Draft, SitePlan, list_url
from lycosa_lab.demo_web.prose import TOPICS

TEASED = 0.55
"""Of the links with a blank anchor, this share has a telling sentence before it."""


@dataclass(frozen=True)
class Out:
    """A link: its target, its anchor, and the words before it."""

    target: str
    anchor: str
    before: str = ""


@dataclass(frozen=True)
class Links:
    """The links of a page by where they are in it."""

    inline: tuple[Out, ...] = ()
    related: tuple[Out, ...] = ()  # below the text, or the items of a list
    menu: tuple[Out, ...] = ()


class Linker:
    """Knows all drafts and draws the links of each from a random source of the page's own."""

    def __init__(self, leaves: Sequence[Draft], random_seed: int) -> None:
        self.random_seed = random_seed
        self.by_host: dict[str, list[Draft]] = defaultdict(list)
        self.by_topic: dict[str, list[Draft]] = defaultdict(list)
        for leaf in leaves:
            if not leaf.hidden and leaf.section.path not in leaf.site.closed:
                self.by_host[leaf.site.host].append(leaf)
                if leaf.topic in TOPICS and not leaf.hub:
                    self.by_topic[leaf.topic].append(leaf)
        self.secrets = _secrets(leaves, Random(f"{random_seed} secrets"))

    def of_leaf(self, leaf: Draft) -> Links:
        """The links of an article, thread, item or directory page."""
        rng = Random(f"{self.random_seed} links {leaf.url}")
        site = leaf.site
        own = _sample(rng, [other for other in self.by_host[site.host] if other.url != leaf.url], site.own)
        outward = self._of_topic(rng, leaf) + self._anywhere(rng, site.host, site.away)
        outward += self.secrets.get(leaf.url, [])
        rng.shuffle(outward)
        outs = tuple(_worded(rng, target, site) for target in outward)
        related = tuple(Out(other.url, other.text.title) for other in own)
        if leaf.print_url:
            related += (Out(leaf.print_url, "Print version"),)
        if leaf.hub:
            return Links((), outs + related, self.menu(site))
        return Links(outs, related, self.menu(site))

    def of_listing(self, listing: Draft, listed: Sequence[Draft], pages: int) -> Links:
        """The links of a home page or a section's list, its further pages included."""
        rng = Random(f"{self.random_seed} links {listing.url}")
        site = listing.site
        items = [_item(rng, leaf, site.blank) for leaf in listed]
        further = [
            Out(list_url(site, listing.section, number), f"Page {number + 1}") for number in range(pages)
        ]
        if listing.url != site.home:
            return Links((), tuple(items + (further if pages > 1 else [])), self.menu(site))
        friends = self._of_topic(rng, listing)[:2] + self._anywhere(rng, site.host, 2)
        inline = tuple(_worded(rng, friend, site) for friend in friends)
        return Links(inline, tuple(items), self.menu(site))

    def menu(self, site: SitePlan) -> tuple[Out, ...]:
        """What every page of a site repeats: its sections, and on cluttered sites much more."""
        sections = [section for section in site.sections if section.path not in site.hidden]
        outs = [Out(list_url(site, section), section.title) for section in sections]
        outs += [Out(target, anchor) for target, anchor in site.extra]
        rng = Random(f"{self.random_seed} menu {site.host}")
        clutter = _sample(rng, self.by_host[site.host], site.menu)
        return tuple(outs + [Out(leaf.url, leaf.text.title) for leaf in clutter])

    def _of_topic(self, rng: Random, page: Draft) -> list[Draft]:
        topics = TOPICS if page.topic == "mixed" else (page.topic,)
        on_topic = [leaf for topic in topics for leaf in self.by_topic.get(topic, [])]
        elsewhere = [leaf for leaf in on_topic if leaf.site.host != page.site.host]
        return _sample(rng, elsewhere, page.site.topic)

    def _anywhere(self, rng: Random, host: str, count: int) -> list[Draft]:
        hosts = _sample(rng, [other for other in sorted(self.by_host) if other != host], count)
        return [rng.choice(self.by_host[other]) for other in hosts]


def _secrets(leaves: Sequence[Draft], rng: Random) -> Mapping[str, list[Draft]]:
    """Pages of hidden sections, dealt out to the strangers that link to them."""
    hidden = [leaf for leaf in leaves if leaf.hidden]
    strangers = [leaf for leaf in leaves if leaf.site.secrets]
    rng.shuffle(hidden)
    dealt: dict[str, list[Draft]] = defaultdict(list)
    for number in range(max(len(strangers), len(hidden))):
        dealt[strangers[number % len(strangers)].url].append(hidden[number % len(hidden)])
    return dealt


def _sample(rng: Random, among: Sequence[Any], count: int) -> list[Any]:
    return rng.sample(among, min(count, len(among)))


def _worded(rng: Random, target: Draft, site: SitePlan) -> Out:
    """A link in running text: telling anchor, telling sentence before a blank one, or neither."""
    if site.language != "en":
        return Out(target.url, target.text.title, prose.see_also(site.language))
    chance, blank = rng.random(), site.blank
    lead_in, blank_anchor = prose.calm(rng)
    if chance >= blank:
        telling = rng.choice([target.text.title, target.text.subject])
        return Out(target.url, telling, rng.choice(["See also", "More on this:", "Compare", lead_in]))
    if chance < blank * TEASED:
        return Out(target.url, blank_anchor, target.teaser)
    return Out(target.url, blank_anchor, lead_in)


def _item(rng: Random, leaf: Draft, blank: float) -> Out:
    """An item of a list: the title as anchor, or a teaser with "read more"."""
    if rng.random() < blank:
        return Out(leaf.url, "Read more", leaf.teaser)
    return Out(leaf.url, leaf.text.title)
