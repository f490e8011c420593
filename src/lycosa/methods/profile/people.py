"""Rank the users of a site by how well they fit the topic, as profiles and items arrive."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from lycosa.methods.eviction import make_room
from lycosa.methods.profile.cotags import words_of_tag
from lycosa.methods.profile.ranks import after_items, inner_rank, inter_rank, user_rank

CHANGE = 0.1
"""Smaller relative changes of a rank are not reported."""
TEXTS = 500
CONTACTS = 100
"""At most this many contacts of a user count: their mean is no better known from more."""
USERS = 500_000
"""Users in memory; beyond that, the older half is dropped."""
TOLD = 10_000
"""Profiles kept whole while the topic can still change."""


class User:
    """What is known of a user: inner rank, that of the contacts read so far, items seen and on the topic."""

    __slots__ = ("closed", "hits", "inner", "inter", "items", "known", "profiled", "told")

    def __init__(self) -> None:
        self.inner = 0.0
        self.inter = 0.0  # sum over the contacts whose profile was read
        self.known = 0  # how many these are
        self.items = 0
        self.hits = 0
        self.profiled = False
        self.closed = False  # the profile was fetched and could not be read
        self.told = 0.0  # the rank when it was last reported


class People:
    """All users, by the key of their profile page. A user without tags has rank 0; contact loops do no harm.

    A contact counts once, when both profiles have been read; so nothing but sums is kept of a user.
    """

    def __init__(self, alpha: float, beta: float, prior_items: float | None = None) -> None:
        """`prior_items`: how many items weigh as much as the profile; None: items do not count."""
        self.alpha = alpha
        self.beta = beta
        self.prior_items = prior_items
        self.users: dict[int, User] = {}
        self._topic: dict[str, float] = {}
        self._told: dict[int, tuple[Sequence[str], Sequence[int]]] = {}  # profiles, until the topic is final
        self._is_final = True
        self._named_by: dict[int, array[int]] = {}  # contact whose profile is to come -> users who name it
        self._total = 0.0
        self._profiles = 0

    def set_topic(self, tags: Iterable[str], is_final: bool = True) -> None:
        """Rank everybody for these tags; anew, if the last topic was not final."""
        self._topic = dict(Counter(word for tag in tags for word in words_of_tag(tag)))
        self._is_final = is_final
        told, self._told = self._told, {}
        for user in self.users.values():
            user.inner = user.inter = 0.0
            user.known, user.profiled = 0, False
        self._named_by.clear()
        self._total, self._profiles = 0.0, 0
        for key, (texts, contacts) in told.items():
            self.add_profile(key, texts, contacts)

    @property
    def mean(self) -> float:
        """The mean inner rank: what to expect of somebody unknown."""
        return self._total / self._profiles if self._profiles else 0.0

    def has_profile(self, key: int) -> bool:
        """Whether the user's profile has been read."""
        return key in self.users and self.users[key].profiled

    def is_closed(self, key: int) -> bool:
        """Whether fetching the user's profile came to nothing."""
        return key in self.users and self.users[key].closed

    def close(self, key: int) -> None:
        """Note that a profile could not be read: a login, or a page of another type."""
        self._user(key).closed = True

    def rank(self, key: int) -> float | None:
        """α · inner + β · inter of a user, corrected by the items seen; None of somebody unknown."""
        user = self.users.get(key)
        if user is None:
            return None
        rank = user_rank(user.inner, inter_rank(user.inter, user.known), self.alpha, self.beta)
        return (
            rank if self.prior_items is None else after_items(rank, user.hits, user.items, self.prior_items)
        )

    def add_profile(self, key: int, texts: Sequence[str], contacts: Sequence[int]) -> set[int]:
        """Add a profile page. Return the users whose rank has changed."""
        if not self._is_final and len(self._told) < TOLD:
            self._told[key] = (texts[:TEXTS], contacts)
        user = self._user(key)
        before, user.inner = user.inner, self._inner(texts)
        self._total += user.inner - before
        if user.profiled:
            return {key} if self._is_news(key) else set()
        user.profiled = True
        self._profiles += 1
        for contact in dict.fromkeys(each for each in contacts[:CONTACTS] if each != key):
            if self.has_profile(contact):
                user.inter += self.users[contact].inner
                user.known += 1
            else:
                self._named_by.setdefault(contact, array("q")).append(key)
        make_room(self._named_by, USERS)
        friends = [friend for friend in self._named_by.pop(key, ()) if friend in self.users]
        for friend in friends:
            self.users[friend].inter += user.inner
            self.users[friend].known += 1
        return {each for each in (key, *friends) if self._is_news(each)}

    def add_item(self, key: int, is_on_topic: bool) -> set[int]:
        """Add an item. Return the user if the rank has changed."""
        user = self._user(key)
        user.items += 1
        user.hits += is_on_topic
        return {key} if self._is_news(key) else set()

    def _user(self, key: int) -> User:
        found = self.users.get(key)
        if found is None:
            make_room(self.users, USERS)
            found = self.users[key] = User()
        return found

    def _inner(self, texts: Sequence[str]) -> float:
        return inner_rank(Counter(term for text in texts[:TEXTS] for term in words_of_tag(text)), self._topic)

    def _is_news(self, key: int) -> bool:
        rank = self.rank(key)
        user = self.users.get(key)
        if rank is None or user is None or abs(rank - user.told) <= CHANGE * user.told:
            return False
        user.told = rank
        return True
