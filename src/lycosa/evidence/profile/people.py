"""The users of a site and how well each fits the topic. In: profiles and items. Out: ranks that follow them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lycosa.evidence.profile.cotags import words_of_tag
from lycosa.evidence.profile.ranks import after_items, inner_rank, inter_rank, user_rank

CHANGE = 0.1
"""A rank that changed by a smaller share than this is as good as unchanged."""
TEXTS = 500


class User:
    """What is known of a user: terms of the profile, contacts, the inner rank, items seen and on the topic."""

    __slots__ = ("contacts", "hits", "inner", "items", "profiled", "told", "words")

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.items = 0
        self.hits = 0
        self.contacts: tuple[int, ...] = ()
        self.inner = 0.0
        self.profiled = False
        self.told = 0.0  # the rank that others last heard of


class People:
    """All users, by the key of their profile page. A user without tags has rank 0; contact loops do no harm."""

    def __init__(self, alpha: float, beta: float, prior_items: float | None = None) -> None:
        """`prior_items`: so many items weigh as much as the profile; None: items do not count."""
        self.alpha = alpha
        self.beta = beta
        self.prior_items = prior_items
        self.users: dict[int, User] = {}
        self.unreadable: set[int] = set()
        self._friends_of: dict[int, set[int]] = {}
        self._topic: dict[str, float] = {}
        self._total = 0.0
        self._profiles = 0

    def set_topic(self, tags: Iterable[str]) -> None:
        """Rank everybody anew for these tags."""
        self._topic = dict(Counter(word for tag in tags for word in words_of_tag(tag)))
        for user in self.users.values():
            user.inner = inner_rank(user.words, self._topic)
        self._total = sum(user.inner for user in self.users.values())

    @property
    def mean(self) -> float:
        """The mean inner rank: what to expect of somebody unknown."""
        return self._total / self._profiles if self._profiles else 0.0

    def has_profile(self, key: int) -> bool:
        """Whether the user's profile has been read."""
        return key in self.users and self.users[key].profiled

    def rank(self, key: int) -> float | None:
        """α · inner + β · inter of a user, corrected by the items seen; None of somebody unknown."""
        user = self.users.get(key)
        if user is None:
            return None
        known = (self.users.get(contact) for contact in user.contacts)
        inter = inter_rank(None if each is None or not each.profiled else each.inner for each in known)
        rank = user_rank(user.inner, inter, self.alpha, self.beta)
        return (
            rank if self.prior_items is None else after_items(rank, user.hits, user.items, self.prior_items)
        )

    def add_profile(self, key: int, texts: Sequence[str], contacts: Sequence[int]) -> set[int]:
        """Take in a profile page. Returns the users whose rank has changed."""
        user = self.users.setdefault(key, User())
        self._profiles += not user.profiled
        user.profiled = True
        user.contacts = tuple(dict.fromkeys(contact for contact in contacts if contact != key))
        for contact in user.contacts:
            self._friends_of.setdefault(contact, set()).add(key)
        before = user.inner
        user.words.update(term for text in texts[:TEXTS] for term in words_of_tag(text))
        user.inner = inner_rank(user.words, self._topic)
        self._total += user.inner - before
        return {each for each in (key, *self._friends_of.get(key, ())) if self._is_news(each)}

    def add_item(self, key: int, is_on_topic: bool) -> set[int]:
        """Take in an item. Returns the user if the rank has changed."""
        user = self.users.setdefault(key, User())
        user.items += 1
        user.hits += is_on_topic
        return {key} if self._is_news(key) else set()

    def _is_news(self, key: int) -> bool:
        rank = self.rank(key)
        user = self.users.get(key)
        if rank is None or user is None or abs(rank - user.told) <= CHANGE * user.told:
            return False
        user.told = rank
        return True
