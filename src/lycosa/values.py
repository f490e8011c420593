"""The values of a crawl: frozen, handed from stage to stage and never edited.

A :class:`Link` is taken from the frontier, fetched into a :class:`Fetched`, analysed into a
:class:`Page`, judged (:class:`Judgement`) and its links decided upon (:class:`Decision`).
Values are msgspec structs: they cross process borders as MessagePack, never as pickle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Self, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.errors import StrategyError

MEMO_BYTES = 1024
"""A memo larger than this (as MessagePack) is refused: it is stored with every waiting URL."""

RECORD_BYTES = 128
"""A larger record is refused: every waiting URL has one, where a strategy keeps records."""

Say = Callable[[str], None]
"""Tells the person who waits one line of what is happening: a terminal prints it, a test collects it."""

Floats = NDArray[np.float64]
"""Numbers in double precision."""


S = TypeVar("S", bound=msgspec.Struct)
F = TypeVar("F", "Score", "Category", "Count", "NotSaid", "Data")


class Kind(StrEnum):
    """The purpose of fetching a URL."""

    PAGE = "page"
    IMAGE = "image"  # looked at by image evidence; its page's links may be held meanwhile
    REQUISITE = "requisite"  # stylesheets, fonts, scripts, pictures: only archived, for replay
    LIST = "list"  # a sitemap or feed of a relevant site: the best of what it lists become links


class Reason(StrEnum):
    """Why something was not taken. The value is the sentence that users read."""

    # decided on the link alone
    NOT_HTTP = "not an http or https URL"
    BAD_URL = "not a valid URL"
    LONG_URL = "longer than fetch.max_url_length"
    OUT_OF_SCOPE = "outside the scope's hosts and domains"
    PATH = "excluded by a path pattern of the scope"
    TOO_DEEP = "deeper than scope.depth"
    TRAP = "looks like a crawler trap"
    NOFOLLOW = "the page asks not to follow this link"
    LOW_PRIORITY = "scored below the threshold of the strategy or frontier.min_priority"
    QUEUE_FULL = "dropped from the full queue as one of the worst (frontier.max_waiting)"
    HOST_FULL = "its host or site has all the pages that the limits allow"
    KNOWN = "another collection has it (archive.known)"
    NOT_NEEDED = "no longer needed: what waited for it has been settled"
    # decided while fetching
    ROBOTS = "robots.txt disallows it"
    ROBOTS_UNREACHABLE = "robots.txt could not be read, which means disallowed (RFC 9309)"
    PRIVATE_ADDRESS = "its host has a private, local or reserved address (fetch.allow_private)"
    DNS = "the host name could not be resolved"
    CONNECT = "no connection"
    TLS = "the secure connection failed"
    TIMEOUT = "took longer than the time-outs allow"
    BROKEN_RESPONSE = "the server broke the response off or sent nonsense"
    TOO_LARGE = "larger than fetch.max_bytes"
    BOMB = "larger than fetch.max_decoded_bytes after decompression"
    BAD_ENCODING = "its content encoding could not be decoded"
    CONTENT_TYPE = "not a wanted content type"
    HTTP_ERROR = "the server answered with an error status"
    RATE_LIMITED = "the server asked to slow down (429 or 503)"
    REDIRECT_LOOP = "it redirects to a URL that redirects back"
    TOO_MANY_REDIRECTS = "more redirects than fetch.max_redirects"
    BAD_REDIRECT = "it redirects to nowhere usable"
    NOT_ARCHIVED = "not in the archived web"
    # decided on the page
    NOINDEX = "the page asks not to be indexed (noindex)"
    RIGHTS = "its owner has reserved a use that the spec respects (scope.respect)"
    LANGUAGE = "not in a language of the scope"
    DATE = "outside the scope's date window"
    DUPLICATE = "the same bytes were already collected under another URL"
    WALL = "a wall stands before it: a captcha, a block, a log-in or a question of consent"
    SOFT_404 = "an error page that says 200 OK"
    ANALYSIS_TIMEOUT = "its analysis took longer than process.deadline_s"
    ANALYSIS_CRASH = "its analysis crashed the worker process"
    NOT_A_PAGE = "it could not be read as a page"
    NOT_AN_IMAGE = "it could not be read as an image"
    SMALL_IMAGE = "an image too small to show anything"


ANALYSIS_FAILED = frozenset((Reason.ANALYSIS_TIMEOUT, Reason.ANALYSIS_CRASH))
"""Reasons that may not be the page's fault: the machine was too busy, or somebody killed a worker."""


class Refusal(msgspec.Struct, frozen=True, array_like=True):
    """A refusal to take something, with its reason."""

    reason: Reason
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason.value}: {self.detail}" if self.detail else self.reason.value


class Notes(msgspec.Struct, frozen=True, array_like=True):
    """Notes on a link besides its origin: the strategy's memo, and the engine's own."""

    memo: bytes = b""  # read and written by the strategy's Memo
    via: tuple[int, ...] = ()  # keys of the URLs that redirected here, the first first
    in_stylesheet: bool = False  # found in a stylesheet: its own references are not fetched
    etag: str = ""  # of the last capture; with `last_modified`, what a conditional request asks by
    last_modified: str = ""
    opened_by: int = 0  # key of what alone made the strategy follow it, such as an image of its page
    content: int = 0  # a fingerprint of the last capture: tells whether it has changed
    watched_s: float = (
        0.0  # where it is fetched again and again: for how long, with how many changes, and last when
    )
    changes: int = 0
    seen_at: float = 0.0


UNNOTED = Notes()


AGAIN = -1
"""The attempts of a link that was fetched before and waits for its next visit, not for another try."""


class Link(msgspec.Struct, frozen=True, array_like=True):
    """A URL as found, with where it was found and what the frontier knows of it.

    `key` is the 64-bit hash of the URL's identity (`urls.key_of`): what deduplication, labels and
    look-ups use. `url` is the URL as found: what is requested, used as base and archived.
    """

    url: str
    key: int
    anchor: str = ""
    rel: str = ""
    position: int = 0  # its number among the links of its page
    kind: Kind = Kind.PAGE
    depth: int = 0  # links from the nearest seed
    trail: int = 0  # > 0: fetched only to be looked through, this many steps from a selected page
    redirects: int = 0  # how many redirects led here
    attempts: int = 0  # how often it was tried before
    priority: float = 0.0
    parent: int = 0  # key of the page it was found on; 0 for seeds
    noted: Notes | None = None  # None: nothing, as on most links
    record: bytes = b""  # what is known of the URL over all links to it, where its strategy keeps that

    @property
    def notes(self) -> Notes:
        """The notes on this link."""
        return self.noted or UNNOTED

    def note(self, **notes: Any) -> Link:
        """The same link with these fields of its Notes."""
        return msgspec.structs.replace(self, noted=msgspec.structs.replace(self.notes, **notes))


class Memo(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="type"):
    """A strategy's memo on a link, read when its page arrives.

    A strategy derives its own, tagged with its name: `class Mine(Memo, frozen=True, tag="mine")`. Memos are
    stored with every waiting URL, so they are small; and they outlive the program that wrote them, so
    fields are added with defaults and keep their names (or their `rename`).
    """

    def on(self, link: Link) -> Link:
        """The link with this memo in place of any other; the engine's notes stay."""
        packed = msgspec.msgpack.encode(self)
        if len(packed) > MEMO_BYTES:
            raise StrategyError(
                f"A memo of {type(self).__name__} has {len(packed):,} bytes, but it is stored with every waiting "
                f"URL. Keep at most {MEMO_BYTES:,} bytes, and what belongs to the page in evidence."
            )
        return link.note(memo=packed)

    @classmethod
    def of(cls, link: Link) -> Self | None:
        """The memo of a link; None if it is missing, belongs to a different strategy or has an unknown version."""
        packed = link.notes.memo
        if not packed:
            return None
        try:
            # Not strict: earlier versions wrote 1 for true. A memo without a tag is theirs, and read too.
            return msgspec.msgpack.decode(packed, type=cls, strict=False)
        except msgspec.MsgspecError:
            return None


class Decision(msgspec.Struct, frozen=True):
    """A strategy's decision on a link: a priority, a refusal, or a hold.

    A held link waits, out of the queue, until every URL in `waits_for` (keys) is done; then the
    strategy settles it. `rule` names, in a few words, what decided; `lycosa why` shows it.
    """

    link: Link
    priority: float = 0.0
    refusal: Refusal | None = None
    hold: str = ""
    waits_for: tuple[int, ...] = ()
    rule: str = ""


class Merge(StrEnum):
    """How adding a waiting URL again changes its priority."""

    MAX = "max"
    SUM = "sum"
    REPLACE = "replace"
    KEEP = "keep"  # the first offer stands


class Outcome(msgspec.Struct, frozen=True):
    """The result of a taken URL, for the frontier (times are seconds since the epoch).

    Its authority rests until `rest_until`. With `again_at` the URL waits again from then on;
    without, it is done. `counts` says whether it used up one page of its host's and site's limits.
    What was held for it waits for the URL `instead` now: a redirect led there (0: none did). `tried`
    says whether this was one of its attempts; one that was only put off has used up none.
    """

    rest_until: float
    again_at: float | None = None
    counts: bool = True
    instead: int = 0
    tried: bool = True


class Fetched(msgspec.Struct, frozen=True):
    """A response exactly as received. Redirects and error statuses are responses too."""

    link: Link
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes  # content encoding not undone, transfer encoding undone
    request_head: bytes  # request line and headers as sent
    response_head: bytes  # status line and headers as received
    started: float  # seconds since the epoch
    elapsed_s: float
    address: str = ""  # the IP address that answered
    rest_s: float = 0.0  # how long its authority wants to rest now
    truncated: str = ""  # WARC-Truncated reason, where the body was cut
    archived: bool = False  # it was read from the collection's own archive, and is not archived again
    sitemaps: tuple[str, ...] = ()  # that its robots.txt names
    site_rights: tuple[
        tuple[str, str], ...
    ] = ()  # what its site's files say of its use: content-signal, tdm-…
    rendered: bytes = (
        b""  # the document that a browser made of it, as UTF-8; what analysis reads instead of the body
    )
    script_target: str = ""  # where its scripts led a browser on to

    def header(self, name: str) -> str:
        """The first value of a header, or ''."""
        name = name.lower()
        return next((value for key, value in self.headers if key.lower() == name), "")


class NotFetched(msgspec.Struct, frozen=True):
    """No response worth keeping: why, and whether to come back."""

    link: Link
    refusal: Refusal
    rest_s: float = 0.0
    again_in_s: float | None = None  # a passing fault: try again after this long
    passing: bool = False  # it may go better another time
    status: int = 0  # of the response that was given up, where one had begun
    retry_after: str = ""  # the header of that response


class Later(msgspec.Struct, frozen=True):
    """A link put off: its host was asked for something else first (robots.txt) and rests now.

    Nothing was refused and nothing tried: the link waits again until the rest is over.
    """

    link: Link
    rest_s: float


class Image(msgspec.Struct, frozen=True, array_like=True):
    """An image of a page, with the size that the markup declares (0: not said)."""

    url: str
    key: int
    alt: str = ""
    width: int = 0
    height: int = 0
    position: int = 0  # its number among the images; `after_link` places it among the links
    after_link: int = -1


class Score(msgspec.Struct, frozen=True, tag_field="kind", tag="score", omit_defaults=True):
    """A score: a number in [0, 1]."""

    value: float
    label: str = ""  # what it was taken for, where there are classes
    words: int = 0  # that it rests on, where they are counted


class Category(msgspec.Struct, frozen=True, tag_field="kind", tag="category"):
    """The likeliest of several classes, and how sure that is: a number in [0, 1]."""

    label: str
    value: float


class Count(msgspec.Struct, frozen=True, tag_field="kind", tag="count"):
    """A count."""

    value: int


class NotSaid(msgspec.Struct, frozen=True, tag_field="kind", tag="not said"):
    """It was looked for, and the page says nothing of it."""


class Data(msgspec.Struct, frozen=True, tag_field="kind", tag="data"):
    """Structured data of a method: a tagged struct, as plain data that is readable without the method."""

    content: dict[str, Any]

    @classmethod
    def of(cls, struct: msgspec.Struct) -> Data:
        """The struct as a fact. Its tag says whose it is, so that nobody else takes it for their own."""
        return cls(
            msgspec.msgpack.decode(msgspec.msgpack.encode(struct))
        )  # as it comes back: lists, no tuples

    def read(self, kind: type[S]) -> S | None:
        """The content as a `kind`; None if it has a different type or version."""
        tag, field = kind.__struct_config__.tag, kind.__struct_config__.tag_field
        if self.content.get(field or "") != tag:
            return None
        try:
            return msgspec.convert(self.content, kind)
        except msgspec.ValidationError:
            return None


Fact = Score | Category | Count | NotSaid | Data
"""A piece of evidence, of one of these kinds."""


def fact_of(evidence: Mapping[str, Fact], name: str, kind: type[F]) -> F:
    """The fact of a name, where one of that kind must be. Raises a KeyError that says what is there instead."""
    fact = evidence.get(name)
    if isinstance(fact, kind):
        return fact
    raise KeyError(f"{name!r} should be a {kind.__name__}, but it is {fact!r}")


class LinkClasses(msgspec.Struct, frozen=True, array_like=True):
    """The class of each link of a page: `names[numbers[i]]` is that of link i."""

    names: tuple[str, ...]
    numbers: bytes

    def __getitem__(self, position: int) -> str:
        return self.names[self.numbers[position]]

    def __len__(self) -> int:
        return len(self.numbers)


class LinkPartners(msgspec.Struct, frozen=True, array_like=True):
    """For each link of a page the position of the link that it belongs to; -1: to none."""

    positions: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.positions)


class PagePlace(msgspec.Struct, frozen=True, array_like=True):
    """A place that a page names. Aliases share `canonical`; what no gazetteer knows has no coordinates."""

    name: str
    canonical: str
    kind: str  # country, state, county, city, street, …
    lat: float | None = None
    lon: float | None = None
    country: str = ""  # ISO code
    state: str = ""  # of the US
    count: int = 1  # mentions


class PageEntity(msgspec.Struct, frozen=True, array_like=True):
    """A person or an organisation that a page names."""

    name: str
    kind: str  # person, organisation
    count: int = 1  # mentions


class Terms(msgspec.Struct, frozen=True, array_like=True):
    """Term counts of a text, packed: no Python object for each term.

    A page has a thousand terms or more, which go from process to process, into the catalogue and through the judge.
    """

    lines: str = ""  # a term each, in the order of their first occurrence
    counts: bytes = b""  # 32 bits each
    hashes: bytes = b""  # 64 bits each; not stored
    meaning: bytes = b""  # what the lead of the text means, if an encoder was asked: see learn/meaning

    def __len__(self) -> int:
        return len(self.counts) // 4

    def counted(self) -> dict[str, int]:
        """How often each occurs.

        >>> Terms("owl\\nnight", np.array([2, 1], np.int32).tobytes()).counted()
        {'owl': 2, 'night': 1}
        """
        return dict(zip(self.each(), np.frombuffer(self.counts, np.int32).tolist(), strict=True))

    def each(self) -> list[str]:
        """The terms, one by one."""
        return self.lines.split("\n") if self.counts else []


class Page(msgspec.Struct, frozen=True, omit_defaults=True):
    """The analysis of a fetched page: plain data, small enough to send between processes.

    `link_evidence[name][i]`, a number in [0, 1], belongs to `links[i]`; so do `link_classes` and `link_partners`,
    for evidence that tells links apart or pairs them. `text`, `simhash`, `places`,
    `entities` and `terms` are filled only where they were asked for.
    """

    link: Link
    url: str
    title: str = ""
    language: str = ""
    date: str = ""  # publication date, ISO, where known
    date_source: str = ""  # the place of the page that names its day
    doubtful_date: str = ""  # a day that may be any the page speaks of, where no other is known
    words: int = 0
    canonical: str = ""
    noindex: bool = False
    nofollow: bool = False
    soft_404: bool = False
    wall: str = ""  # which kind of wall it is, where it is no page
    text: str = ""
    simhash: int = 0
    sketch: bytes = b""  # of its shingles: with the simhash, what finds near duplicates
    links: tuple[Link, ...] = ()
    images: tuple[Image, ...] = ()
    requisites: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()  # feeds that it announces; of a sitemap index, the sitemaps
    changed_on: tuple[
        tuple[int, str], ...
    ] = ()  # of a list: keys of URLs with the days (ISO) that it gives them
    places: tuple[PagePlace, ...] = ()
    entities: tuple[PageEntity, ...] = ()
    terms: Terms = Terms()  # what a judge is fitted on
    evidence: dict[str, Fact] = {}
    link_evidence: dict[str, tuple[float, ...]] = {}
    link_classes: dict[str, LinkClasses] = {}
    link_partners: dict[str, LinkPartners] = {}


class PageTerms(msgspec.Struct, frozen=True, array_like=True):
    """A fetched page as a judge is fitted on it.

    A `collected` page is neither an example nor reached by exploration, so it counts for the harvest. `evidence` is the value
    that the judge uses besides the words, if any. `wanted` is the probability that the page is of a wanted kind.
    """

    id: int  # in the order of the first commits
    key: int
    terms: Terms
    collected: bool = True
    evidence: float = 0.0
    wanted: float = 1.0


class Judgement(msgspec.Struct, frozen=True):
    """Whether a page is relevant, with its score and the rule that decided."""

    relevant: bool
    score: float
    rule: str = ""


WANTED_KIND = "wanted-kind"
"""The evidence (a Score) that holds the probability that a page is of a wanted kind."""
LABELLED = "labelled by a person"
ASSISTED = "answered by an assistant"
EXAMPLE = Judgement(True, 1.0, "an example of yours")
"""The verdict on a page that the user gave to say what is wanted. It says nothing of how well a crawl finds pages."""


UNCERTAIN = "; uncertain"
"""The end of the rule of a judge that cannot tell yet: a page that is kept by it is uncertain."""


def is_uncertain(judgement: Judgement) -> bool:
    """Whether a page is kept although its judge cannot tell yet.

    >>> is_uncertain(Judgement(True, 0.4, "judge version 1; uncertain")), is_uncertain(EXAMPLE)
    (True, False)
    """
    return judgement.relevant and judgement.rule.endswith(UNCERTAIN)


def is_said(judgement: Judgement) -> bool:
    """Whether a person said so, and no judge or assistant.

    >>> is_said(EXAMPLE), is_said(Judgement(True, 0.9, "topic"))
    (True, False)
    """
    return judgement.rule in (LABELLED, EXAMPLE.rule)


class Touch(msgspec.Struct, frozen=True):
    """A strategy says that it has learned something of these URLs (keys): those that wait are scored again."""

    keys: tuple[int, ...]


class Release(msgspec.Struct, frozen=True):
    """A strategy says that a hold can be settled now, with this value."""

    hold: str
    value: float | None = None
