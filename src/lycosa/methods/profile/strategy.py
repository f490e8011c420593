"""`profile` [Zhang & Nasraoui 2009]: on sharing sites, follow the items of users whose profile fits the topic.

Items wait by their uploader's rank, and are held until it is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from lycosa.errors import SpecError
from lycosa.methods import BaseStrategy, Step
from lycosa.methods.eviction import make_room
from lycosa.methods.preparation import Preparation
from lycosa.methods.profile.cotags import TopicTags, clean_tag, tags_given
from lycosa.methods.profile.memo import TO_PROFILE, ProfileMemo, hold_of, memo_of
from lycosa.methods.profile.people import People
from lycosa.methods.profile.ranks import place_log_odds
from lycosa.methods.profile.site.addresses import url_parts
from lycosa.methods.profile.site.link_kinds import LinkKind
from lycosa.methods.profile.site.page_types import PageTypes, page_types_of
from lycosa.methods.profile.site.reading import (
    FIELDS,
    TYPE,
    UPLOADER,
    FieldEvidence,
    PageTypeEvidence,
    UploaderEvidence,
    is_of,
    people_of,
    texts_of,
    type_of,
)
from lycosa.methods.profile.stages import TopicSearch
from lycosa.spec.sections import NotNegative
from lycosa.values import Decision, Fact, Judgement, Link, Merge, Page, Reason, Refusal, Release

STAGE_TWO = "stage two"
AWAITED = 100
"""Profiles wait in stage one for at most this many items of their page."""
BATCH = 5
"""At most this many items of a user wait at a time; after them the rank decides on the next."""
FIRST = 1e-3
"""How far ahead of the items a user's profile and lists go."""
NAMED = 0.2
"""The rank of a stranger whose profile a list page of the topic names."""
LAST = -1.0
"""Added to the rank of what waits last; ranks are in [0, 1]."""
LINKS = 500_000
"""Links whose priority is kept; beyond that, the older half is dropped."""
USERS = 20_000
"""When a rank changes, the items of at most this many users are put in order again."""


@dataclass(kw_only=True, eq=False)
class Profile(BaseStrategy):
    """Detail pages wait by the rank of their uploader; links to anything else by OPIC."""

    when = "a site where people share media: profiles, and what they upload"
    guides = "whose item it is, or what else of the site, and how well that fits the topic"

    merge = Merge.REPLACE
    judges_itself = True

    page_types: str | PageTypes = ""
    """The site's model, made by `lycosa train page-types`."""
    tag: str = ""
    """The tag that the topic starts from; stage one widens it by co-tagging."""
    topic_tags: Sequence[str] | str | None = None
    """The topic's tags (or a file of them, such as an edited table): skips stage one."""
    alpha: NotNegative = 0.5
    """Weight of the user's own tags, sets and collections (inner rank)."""
    beta: NotNegative = 0.5
    """Weight of the contacts' (inter rank)."""
    rank_threshold: NotNegative = 0.01
    """Users ranked no higher are off the topic."""
    below_threshold: Literal["last", "refuse"] = "last"
    """Their items wait `last`, for when nothing better is left, or the crawl `refuse`s them, as in the paper,
    and ends without them."""
    strangers: NotNegative = 0.05
    """What the profile of a stranger is worth against the users that led to him. Higher: good users are found
    sooner. Lower: fewer pages without items; 0: strangers and `others` come after all items at hand, as
    strangers whom only users off the topic name always do."""
    order: Literal["rank", "fifo"] = "rank"
    """`rank` (the best user's items first) or `fifo` (the rank only prunes, as in the paper)."""
    others: Literal["opic", "none"] = "opic"
    """Links that lead neither to items, profiles nor lists: by `opic`, or `none`."""
    topic_lists: bool = True
    """List pages whose address names a topic tag go first, and their items need no rank."""
    prior_items: float = 1.0
    """A user's own items count too, this many as much as the profile; they are taken a few at a time.
    Negative: only the profile counts, as in the paper."""
    cotag_items: int = 300
    """Stage one ends when this many different tag sets have the start tag."""
    cotag_top: int = 15
    """How many tags are added to the start tag."""
    cotag_by: Literal["count", "phi"] = "count"
    """`count` (how often together) or `phi` (eq. 6, with counts outside the sample)."""
    min_phi: NotNegative = 0.0
    """Tags that go with the start tag less closely than this (φ, eq. 6) do not join the topic."""
    stop_tags: Sequence[str] = ()
    """Noise tags that never join the topic."""
    cotag_table: str = ""
    """Where to write the table of stage one, to edit it and give it as topic_tags."""

    def check(self, folder: Path) -> None:
        """Refuse weights of which none counts, and a spec without page types or topic."""
        super().check(folder)
        if not self.alpha + self.beta:
            raise SpecError(
                "[profile] alpha and beta are both 0, so nobody has a rank. Give one of them a weight."
            )
        page_types_of(self.page_types, folder)
        if not tags_given(self.topic_tags, folder) and not self.tag:
            raise SpecError("[profile] needs a topic: set tag (widened by co-tagging) or topic_tags.")

    def fit(self, preparation: Preparation) -> Self:
        """Load the page types; with topic tags stage two begins at once."""
        super().fit(preparation)
        self.folder_ = preparation.folder
        types = page_types_of(self.page_types, self.folder_)
        self.needs = (
            *self.needs,
            PageTypeEvidence(types),
            UploaderEvidence(types),
            *(FieldEvidence(types, field) for field in FIELDS),
        )
        tags = tags_given(self.topic_tags, self.folder_)
        self.search_ = (
            None
            if tags
            else TopicSearch(
                self.tag, self.cotag_items, self.cotag_top, self.cotag_by, self.stop_tags, self.min_phi
            )
        )
        self.people_ = People(self.alpha, self.beta, self.prior_items if self.prior_items >= 0 else None)
        self.waiting_: dict[int, dict[int, Link]] = {}  # by user: what waits by the rank
        self.listed_: dict[int, None] = {}  # items on list pages of the topic
        self.hopes_: dict[int, float] = {}  # priority of profiles that wait
        self.cash_: dict[int, float] = {}
        self.seen_: dict[int, None] = {}
        self.meets_ = False  # whether profiles name contacts
        self._set_topic(tags or (self.tag,))
        return self

    def judge(self, page: Page) -> Judgement:
        """A detail page with a tag of the topic is relevant [8.3], whatever the spec's judge."""
        if (kind := type_of(page.evidence)) != "detail":
            return Judgement(False, 0.0, f"a page of type {kind}")
        found = self.topic_.of(texts_of(page.evidence, "tags"))
        uploader = people_of(page.evidence, UPLOADER)
        rank = self.people_.rank(uploader[0].profile) if uploader else None
        rule = f"tagged {', '.join(found)[:200]}" if found else "no tag of the topic"
        return Judgement(bool(found), rank or 0.0, rule)

    def rank(self, page: Page, judgement: Judgement) -> list[Step]:
        """One Decision a link, then new orders for items whose uploader's rank has changed."""
        changed = self._take_in(page.link, page.evidence)
        steps: list[Step] = list(self._links_of(page))
        if self.search_ is not None and self.search_.is_enough:
            self._end_stage_one()
            steps.append(Release(STAGE_TWO))
        steps += [decision for user in changed for decision in self._reordered(user)]
        return steps

    def settle(self, links: Sequence[Link], value: float | None) -> list[Decision]:
        """Decide on items whose uploader's profile has come, or never will; on profiles held in stage one."""
        if self.search_ is not None and any(memo_of(link).user is None for link in links):
            self._end_stage_one()  # nothing is left to fetch for it
        for link in links:
            self.waiting_.pop(memo_of(link).user or 0, None)
        # A user's further lists are only of use when the items at hand are done.
        ordered = sorted(links, key=lambda link: memo_of(link).leads_to == "list")
        return [self._settled(link) for link in ordered]

    def _settled(self, link: Link) -> Decision:
        memo = memo_of(link)
        if memo.user is None:
            return self._profile(link, None, on_topic=True)
        if memo.leads_to == "list":
            return self._list(link, memo.user)
        return self._item(link, memo.user, final=True)

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """Take in what the page says of users and tags, unless `rank` has."""
        self._take_in(link, evidence)
        if self.search_ is not None and self.search_.is_enough:
            self._end_stage_one()

    def log_odds(self, decision: Decision) -> float:
        """What the place of a link in the order says, as a guide."""
        listed = memo_of(decision.link).listed
        return place_log_odds(decision.priority, leads_on=self.only_leads_on(decision), listed=listed)

    def only_leads_on(self, decision: Decision) -> bool:
        """Whether a link leads to no item: lists, profiles and the rest of a site are never relevant."""
        memo = memo_of(decision.link)
        return memo.user is None or bool(memo.leads_to)

    def _set_topic(self, tags: Sequence[str]) -> None:
        self.topic_ = TopicTags(tags)
        self.people_.set_topic(self.topic_.tags, is_final=self.search_ is None)

    def _end_stage_one(self) -> None:
        search, self.search_ = self.search_, None
        if search is not None and (
            tags := search.topic(self.folder_ / self.cotag_table if self.cotag_table else None)
        ):
            self._set_topic(tags)

    def _take_in(self, link: Link, evidence: Mapping[str, Fact]) -> set[int]:
        """Keep what a page says; the users whose rank it changed."""
        if link.key in self.seen_:
            return set()
        make_room(self.seen_, LINKS)
        self.seen_[link.key] = None
        memo = memo_of(link)
        self.waiting_.get(link.key if memo.user is None else memo.user, {}).pop(link.key, None)
        kind = type_of(evidence)
        tags = [clean_tag(tag) for tag in texts_of(evidence, "tags")]
        if kind == "profile":
            names = [clean_tag(name) for name in texts_of(evidence, "sets")]
            contacts = [one.profile for one in people_of(evidence, "contacts") if one.profile != link.key]
            self.meets_ = self.meets_ or bool(contacts)
            return self.people_.add_profile(link.key, [*tags, *names], contacts)
        if kind == "detail":
            if self.search_ is not None:
                self.search_.add(tags)
            # Items on the topic's lists were chosen for it: they say nothing of the user's other items.
            if not memo.listed and (uploader := people_of(evidence, UPLOADER)):
                return self.people_.add_item(uploader[0].profile, bool(self.topic_.of(tags)))
        if memo.leads_to == "profile":
            for key in (*link.notes.via, link.key):  # it may have led to a page that asks to sign in
                self.people_.close(key)
        return set()

    def _links_of(self, page: Page) -> list[Decision]:
        kinds = page.link_classes[TYPE].numbers
        uploaders = page.link_partners[UPLOADER].positions
        kind = type_of(page.evidence)
        on_topic = kind == "list" and self._is_topic_list(page.url)
        owner = page.link.key if kind == "profile" else memo_of(page.link).user
        # Cash is only ever handed on: what is followed by rank must not make its menu rich.
        share = self.cash_.pop(page.link.key, 0.0 if page.link.depth else 1.0) / (len(page.links) or 1)
        decisions = []
        make_room(self.cash_, LINKS)
        for link, number, uploader in zip(page.links, kinds, uploaders, strict=True):
            user = page.links[uploader].key if uploader >= 0 else owner
            if link.key not in self.seen_:
                self.cash_[link.key] = self.cash_.get(link.key, 0.0) + share
            match LinkKind(number):
                case LinkKind.DETAIL if user is not None and (self.search_ is None or on_topic):
                    decisions.append(self._item(link, user, listed=on_topic))
                case LinkKind.DETAIL if user is not None:
                    decisions.append(self._for_tags(link, user))
                case LinkKind.PROFILE if self.search_ is not None:
                    decisions.append(self._for_stage_two(link, page))
                case LinkKind.PROFILE:
                    decisions.append(self._profile(link, owner if kind == "profile" else None, on_topic))
                case LinkKind.LIST if self._is_topic_list(link.url):
                    decisions.append(self._order(link, 1.0, "a list page of the topic"))
                case LinkKind.LIST if owner is not None and self.people_.has_profile(owner):
                    decisions.append(self._list(link, owner))
                case LinkKind.ELSE if kind == "profile" and is_of(link, page) and self.search_ is None:
                    decisions.append(self._list(link, page.link.key))
                case LinkKind.ELSE if self._is_topic_list(link.url):
                    decisions.append(self._order(link, 1.0, "its address names the topic"))
                case other:
                    decisions.append(self._other(link, other))
        return decisions

    def _is_topic_list(self, url: str) -> bool:
        if not self.topic_lists:
            return False
        return any(self.topic_.has(part.partition("=")[2] or part) for part in url_parts(url)[1:])

    def _item(self, link: Link, user: int, listed: bool = False, final: bool = False) -> Decision:
        """What to do with a detail link of a user: wait by rank, be held for the profile, or wait last."""
        link = ProfileMemo(user).on(link)
        rank = self.people_.rank(user)
        if listed or link.key in self.listed_:
            make_room(self.listed_, LINKS)
            self.listed_[link.key] = None
            link = ProfileMemo(user, listed=True).on(link)
            return self._order(link, 1.0 + (rank or 0.0), "an item on a list page of the topic")
        if rank is None or not self.people_.has_profile(user):
            if self.people_.is_closed(user) or final:
                why = "its uploader's profile could not be read: an error, a login, or a page of another type"
                return self._last(link, self.people_.mean, "no profile of its uploader", why)
            hold = hold_of("profile of", user)
            return Decision(link, hold=hold, waits_for=(user,), rule="its uploader is not ranked yet")
        return self._of_user(link, user, rank, "its uploader's rank")

    def _of_user(self, link: Link, user: int, rank: float, rule: str, before: float = 0.0) -> Decision:
        """Let a user's item or list wait by rank; held if enough of the user's wait already."""
        if rank <= self.rank_threshold and self.below_threshold == "refuse":
            why = f"this user's rank is not above profile.rank_threshold ({self.rank_threshold:g})"
            return self._last(link, rank, rule, why)
        make_room(self.waiting_, USERS)
        waiting = self.waiting_.setdefault(user, {})
        if link.key not in self.seen_ and link.key not in waiting:
            if len(waiting) >= BATCH and self.prior_items >= 0:
                return Decision(
                    link,
                    hold=hold_of("items of", user),
                    waits_for=tuple(waiting),
                    rule="after others of its user",
                )
            waiting[link.key] = link
        return self._order(link, self._by_rank(rank) + before, rule)

    def _by_rank(self, rank: float) -> float:
        return rank if rank > self.rank_threshold else rank + LAST

    def _last(self, link: Link, rank: float, rule: str, why: str) -> Decision:
        """Refuse a link, or let it wait behind everything else."""
        if self.below_threshold == "refuse":
            return Decision(link, rank, Refusal(Reason.LOW_PRIORITY, why), rule=rule)
        return self._order(link, rank + LAST, rule)

    def _profile(self, link: Link, friend: int | None, on_topic: bool) -> Decision:
        link = TO_PROFILE.on(link)
        friends = self.people_.rank(friend) if friend is not None else None
        rank = self.people_.mean if friends is None else friends
        make_room(self.hopes_, LINKS)
        hope = max(self.hopes_.get(link.key, 0.0), NAMED if on_topic else rank)
        self.hopes_[link.key] = hope
        # Whom only users off the topic name is read when all items at hand are done.
        comes_last = not self.strangers or (hope <= self.rank_threshold and self.order == "rank")
        priority = hope + 2 * LAST if comes_last else self.strangers * hope
        return self._order(link, priority, "a profile, by what led to it")

    def _for_tags(self, link: Link, user: int) -> Decision:
        """In stage one items wait for the sake of their tags; in stage two the rank may put them elsewhere."""
        link = ProfileMemo(user).on(link)
        make_room(self.waiting_, USERS)
        waiting = self.waiting_.setdefault(user, {})
        if len(waiting) < BATCH and link.key not in self.seen_:
            waiting[link.key] = link
        return self._other(link, LinkKind.DETAIL)

    def _for_stage_two(self, link: Link, page: Page) -> Decision:
        kinds = page.link_classes[TYPE].numbers
        items = tuple(
            out.key for out, number in zip(page.links, kinds, strict=True) if number == LinkKind.DETAIL
        )
        return Decision(
            TO_PROFILE.on(link),
            hold=STAGE_TWO,
            waits_for=items[:AWAITED],
            rule="profiles are read in stage two",
        )

    def _list(self, link: Link, owner: int) -> Decision:
        link = ProfileMemo(owner, "list").on(link)
        return self._of_user(
            link, owner, self.people_.rank(owner) or 0.0, "a list of a user, by rank", before=FIRST
        )

    def _other(self, link: Link, kind: LinkKind) -> Decision:
        if self.others == "none" and kind is LinkKind.ELSE:
            return Decision(
                link, 0.0, Refusal(Reason.LOW_PRIORITY, "profile.others = none"), rule="of no type"
            )
        # Contacts lead to users sooner than lists of anything do, and cost fewer pages without items.
        comes_last = not self.strangers or (self.meets_ and self.order == "rank")
        last = 2 * LAST if comes_last else 0.0
        return self._order(link, self.cash_.get(link.key, 0.0) + last, "a share of its page's cash")

    def _order(self, link: Link, priority: float, rule: str) -> Decision:
        if self.order == "fifo":
            priority = 1.0 if priority >= 0 else LAST
        return Decision(link, priority, rule=rule)

    def _reordered(self, user: int) -> list[Decision]:
        """The waiting items of a user, by the new rank."""
        rank = self.people_.rank(user)
        if rank is None or self.search_ is not None:
            return []
        return [
            self._order(link, self._by_rank(rank), "its user's rank, which has changed")
            for link in self.waiting_.get(user, {}).values()
        ]
