"""The spec of a crawl: small frozen sections that refuse what they do not know.

Each part of the program receives its own section, never the whole. A strategy's own settings are
its constructor's arguments, in a table named after it: `[best-first]`, `[selective]`, …
"""

from __future__ import annotations

import datetime
import re
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializeAsAny,
    model_validator,
)

from lycosa.urls import Folding

NONE = "none"
"""How a spec says that a key has no value, where that is possible: TOML has no word for it."""
PLACEHOLDER = "https://www.example.org/"
"""What the user has to replace in a template; a crawl of it is refused."""
YEAR_S = 31_536_000.0
MAX_HOURS = 1_000_000.0

NotNegativeInt = Annotated[int, Field(ge=0)]
PositiveInt = Annotated[int, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Rest = Annotated[float, Field(ge=0, le=YEAR_S)]
TimeOut = Annotated[float, Field(gt=0, le=YEAR_S)]
Hours = Annotated[float, Field(gt=0, le=MAX_HOURS)]
Share = Annotated[float, Field(ge=0, le=1)]
BelowOne = Annotated[float, Field(ge=0, lt=1)]
When = Literal["now", "later", "never"]


def _language_code(given: str) -> str:
    if len(given) != 2 or not (given.isascii() and given.isalpha()):
        raise ValueError("a language is named by its two-letter code here: en, de, fr, …")
    return given.lower()


LATEST = 1000
"""The last pages of a crawl that limits.until can look back on."""
UNTIL = re.compile(r"([1-9]\d{0,3}) in ([1-9]\d{0,3})")


def _until(given: str) -> str:
    found = UNTIL.fullmatch(given)
    if found is None or not int(found[1]) <= int(found[2]) <= LATEST:
        raise ValueError(
            f'write it as "10 in 200": until fewer than 10 of the last 200 pages (at most {LATEST}) are relevant'
        )
    return given


def _folder_name(given: str) -> str:
    if not given.strip(" .") or len(given) > 200 or set(given) & set("/\0"):
        raise ValueError("the name becomes a folder: letters and digits will do, without /")
    return given


def _day(given: Any) -> Any:
    if isinstance(given, int | float):
        raise ValueError("a day is written as 2026-11-15, without quotes")  # not as seconds since 1970
    return given


def _proxy(given: str) -> str:
    try:
        parts = urlsplit(given)
        is_proxy = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is no number
        is_proxy = False
    if given and not is_proxy:
        raise ValueError('a proxy is written like "http://proxy.example:3128"')
    return given


Proxy = Annotated[str, AfterValidator(_proxy)]
Day = Annotated[datetime.date, BeforeValidator(_day)]
LanguageCode = Annotated[str, AfterValidator(_language_code)]
FolderName = Annotated[str, AfterValidator(_folder_name)]


class Section(BaseModel):
    """A frozen table of the spec that refuses keys it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _without_value(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        may_be = {key for key, field in cls.model_fields.items() if type(None) in get_args(field.annotation)}
        return {key: None if value == NONE and key in may_be else value for key, value in given.items()}


class TopicSpec(Section):
    """What the crawl is about: keywords, a description, example pages, or a mix."""

    keywords: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    """Words and phrases of the topic, at most 1,000; each counts like a word that examples use often."""
    description: str = ""
    """The topic in a few sentences."""
    examples: tuple[str, ...] = ()
    """Relevant pages: URLs (fetched politely, and pages of the collection) or files (HTML, text or PDF)."""
    negatives: tuple[str, ...] = ()
    """Pages that are not relevant, URLs or files: classifiers learn from both, and the topic turns away from them."""
    language: str = "english"
    """Language of the topic's words, by its English name: english, german, french, chinese, … It chooses stemmer,
    stop words and the table of how common words are."""
    model: str = ""
    """A text classifier from `lycosa train text`, instead of one trained on the examples."""
    terms: PositiveInt = 100
    """How many terms of the examples make the topic vector (k of the event paper)."""


class SeedsSpec(Section):
    """Where the crawl begins."""

    urls: tuple[str, ...] = ()
    """Pages to start from."""
    files: tuple[str, ...] = ()
    """Files with one URL per line; # starts a comment."""
    sitemaps: tuple[str, ...] = ()
    """Sitemaps or sitemap indexes: URLs or files."""
    feeds: tuple[str, ...] = ()
    """RSS or Atom feeds: URLs or files."""
    examples: bool = True
    """Whether the pages that say what is wanted ([topic] examples, model pages) are pages to start from too."""
    discover: tuple[Literal["sitemaps", "feeds"], ...] = ("sitemaps", "feeds")
    """Lists that relevant sites offer and that are read too: sitemaps named in robots.txt, feeds announced in relevant
    pages. The best of what they list wait like other links."""
    max_per_discovered: PositiveInt = 200
    """At most this many URLs are taken from one of these, the best."""
    archive: bool = False
    """Begin with every page of the archives that are crawled (fetch.web), and nothing else: `lycosa import`."""
    max_per_list: PositiveInt = 10_000
    """At most this many URLs are taken from one file, sitemap or feed."""


class ScopeSpec(Section):
    """What may be fetched and kept at all, beside the seeds. Empty means: no restriction."""

    hosts: tuple[str, ...] = ()
    """Only these hosts, exactly (`*.example.org` also takes all below)."""
    domains: tuple[str, ...] = ()
    """Only these domains, with all hosts below them."""
    exclude_hosts: tuple[str, ...] = ()
    """Never these hosts (same patterns as hosts)."""
    include: tuple[str, ...] = ()
    """Only URLs with a path and query that match one of these patterns (`/news/*`)."""
    exclude: tuple[str, ...] = ()
    """No URL with a path and query that match one of these patterns (`*/print/*`)."""
    depth: NotNegativeInt | None = None
    """How many links away from a seed the crawl may go."""
    content_types: tuple[str, ...] = ("text/html", "application/xhtml+xml", "text/plain", "application/pdf")
    """Only these content types are downloaded as pages; decided at the response's headers. HTML, plain text, PDF and
    office files (docx, xlsx, pptx, odt, ods, odp) can be read."""
    respect: tuple[
        Literal["noai", "noimageai", "noarchive", "tdm", "search", "ai-input", "ai-train"], ...
    ] = ()
    """Pages whose owner has reserved one of these uses are not kept: noai, noimageai and noarchive of robots meta tags
    and X-Robots-Tag; tdm of the TDM Reservation Protocol; search, ai-input and ai-train of Content-Signal in robots.txt.
    All are read and kept with each page anyway."""
    languages: tuple[LanguageCode, ...] = ()
    """Only pages in these languages (ISO codes: en, de, …) are kept and followed."""
    unknown_language: bool = True
    """Whether `languages` lets pages pass whose language nobody can tell: hardly any text, or names and numbers."""
    date_from: Day | None = None
    """Only pages published on or after this day; undated pages pass."""
    date_to: Day | None = None
    """Only pages published on or before this day; undated pages pass."""
    fold_tracking: bool = True
    """Whether URLs that differ only in parameters such as `utm_source` or `fbclid`, which say who came from where, are one
    page. A collection keeps to what it was begun with."""
    avoid_traps: bool = True
    """Refuse URLs that look like one of endlessly many, and more of those whose pages bring nothing new."""

    @property
    def folding(self) -> Folding:
        """Which URLs are one page."""
        return Folding(tracking=self.fold_tracking)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.date_from and self.date_to and self.date_to < self.date_from:
            raise ValueError(f"date_to {self.date_to} lies before date_from {self.date_from}")
        return self


class LimitsSpec(Section):
    """When the crawl ends by itself. "none": without that limit."""

    pages: PositiveInt | None = 1000
    """Pages fetched."""
    bytes: PositiveInt | None = None
    """Bytes received."""
    hours: Hours | None = None
    """Hours of crawling, pauses between two runs not counted."""
    until: Annotated[str, AfterValidator(_until)] | None = None
    """"10 in 200": until fewer than 10 of the last 200 pages are relevant, as they are judged."""
    rendered: PositiveInt | None = 200
    """Pages rendered by a browser (fetch.render); further ones are taken as they were fetched."""
    pages_per_host: PositiveInt | None = None
    """Pages of one host."""
    pages_per_site: PositiveInt | None = None
    """Pages of one registrable domain."""
    site_share: Annotated[float, Field(gt=0, le=1)] = 0.2
    """A site that no seed is on may give this share of `pages`; then its links count half as much as those of other
    sites, after twice the share a quarter, and so on. 1: all sites alike."""

    @property
    def pages_in_share(self) -> int | None:
        """The pages that are one share; None where sites have none."""
        return (
            None if self.pages is None or self.site_share == 1 else max(1, int(self.pages * self.site_share))
        )


class FetchSpec(Section):
    """How servers are asked. The defaults are polite; think twice before changing them."""

    contact: str = ""
    """An address where site owners can reach you: goes into the User-Agent."""
    user_agent: str = ""
    """The whole User-Agent, if the default (project and contact) will not do."""
    concurrency: Annotated[int, Field(gt=0, le=10_000)] = 32
    """Requests under way at once, over all hosts; fewer at first, before pages have taught which links to take."""
    per_host_delay_s: Rest = 2.0
    """Rest between the end of a request and the next one to the same host."""
    per_host_concurrency: PositiveInt = 1
    """Requests under way at once to one host."""
    per_ip_concurrency: PositiveInt = 4
    """Requests under way at once to one IP address, however many hosts share it."""
    per_ip_delay_s: Rest = 0.0
    """Rest between two requests to one IP address."""
    max_crawl_delay_s: Rest = 60.0
    """A Crawl-delay in robots.txt is honoured up to this; above it the host is refused."""
    connect_timeout_s: TimeOut = 10.0
    """Time to get a connection."""
    read_timeout_s: TimeOut = 20.0
    """Longest silence while a response arrives."""
    total_timeout_s: TimeOut = 60.0
    """Time for a whole response."""
    stop_patience_s: TimeOut = 30.0
    """Time for requests in flight to finish when the crawl ends; the others are fetched by a later run."""
    retries: NotNegativeInt = 2
    """How often a passing fault (time-out, broken connection, 429, 5xx) is tried again."""
    max_retry_after_s: Rest = 3600.0
    """A Retry-After longer than this counts as this."""
    max_bytes: PositiveInt = 10_000_000
    """Largest response body as received. Above 256 MB a page is archived, but not read back."""
    max_decoded_bytes: PositiveInt = 50_000_000
    """Largest response body after decompression."""
    max_redirects: NotNegativeInt = 10
    """Longest chain of redirects."""
    max_url_length: PositiveInt = 2000
    """Longer URLs are refused."""
    verify_tls: bool = True
    """Refuse servers whose certificate does not hold. Turn off to archive a site whose certificate has expired."""
    obey_robots: bool = True
    """Obey robots.txt (RFC 9309). Turn off only for sites of your own."""
    obey_nofollow: bool = True
    """Obey nofollow and noindex in robots meta tags and X-Robots-Tag headers."""
    obey_rel_nofollow: bool = False
    """Do not follow links marked rel=nofollow (advice to search engines, not to visitors)."""
    cookies: bool = False
    """Keep cookies, host by host."""
    headers: dict[str, str] = {}
    """More request headers, for every host."""
    auth: dict[str, str] = {}
    """Basic authentication: host = "user:password"."""
    proxy: Proxy = ""
    """An HTTP proxy: http://host:port."""
    allow_private: tuple[str, ...] = ()
    """Hosts (names or patterns) that may have a private or local address."""
    render: Literal["never", "needed", "always"] = "never"
    """Which pages a browser renders (`pip install 'lycosa[browser]'`): none; those that show hardly anything without one and
    whose link or site is promising; or all. What it asks for is asked for as politely, and archived, as all else."""
    render_timeout_s: TimeOut = 60.0
    """Time for rendering a page, the rests of its hosts included; what is there by then is taken."""
    browser_sandbox: bool = True
    """Whether the browser has a sandbox. Without one, and as root there is none, a page that breaks the browser has broken
    into your account: turn off only where nothing is to be lost, such as in a container."""
    web: tuple[str, ...] = ()
    """Crawl these archives instead of the network, without waiting: WARC or WACZ files, folders of them, or
    collections; `lycosa crawl --web`."""
    connect_to: dict[str, str] = {}
    """Connect to this address instead of looking the host up: "*.demo.test" = "127.0.0.1:8080"."""


class FrontierSpec(Section):
    """How much may wait."""

    min_priority: float | None = None
    """Links scored below this are refused."""
    selectivity: Share = 0.5
    """How choosy to be while the best hosts rest: a link less than this share as good as one that may
    soon go is passed over. 0: always take what may go (faster, and a lower harvest)."""
    max_waiting: PositiveInt = 10_000_000
    """When more URLs than this are waiting, the worst are dropped."""


class JudgeSpec(Section):
    """What makes a page relevant: the same judge for every strategy."""

    kind: str = "topic"
    """Which judge: `topic` (learns from the topic and from what is fetched), `text` (a classifier trained on
    examples and negatives), `all` (keep every page), one that a method brings, such as `event`, or a class or function
    of your own: `FILE.py:NAME` (docs/python.md)."""
    threshold: Share | None = None
    """Pages with at least this probability are relevant. Default: found while the crawl goes on for `topic`
    and `event`, the classifier's decision boundary for `text`."""


class ArchiveSpec(Section):
    """What is kept."""

    requisites: Literal["none", "relevant", "all"] = "none"
    """For which pages the stylesheets, images, fonts and scripts are fetched too."""
    max_requisites: PositiveInt = 100
    """Per page."""
    warc_bytes: PositiveInt = 1_000_000_000
    """A WARC file that has reached this size is closed and the next one begun."""
    known: tuple[str, ...] = ()
    """Other collections, by their folders. What one of them has kept is not kept again: links to its pages are not followed (seeds
    are), and of a page with the same bytes the archive only refers to it."""
    revisit_after_h: Hours | None = None
    """Fetch relevant pages, seeds, hubs, feeds and sitemaps again after this many hours (while the crawl runs, or when run
    again); then as often as each of them changes: after an eighth to eight times of this."""
    revisit_share: Share = 0.2
    """How many such visits a run may make, as a share of limits.pages; they go on when that limit is reached."""


class IndexSpec(Section):
    """What is computed for searching: `now` (with each page), `later` (by `lycosa index`), or `never`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Literal["now", "never"]] = Field(init=False)  # keys that methods add

    text: When = "now"
    """Full-text index."""
    near_duplicates: When = "now"
    """Fingerprints and clusters of nearly equal pages: found by simhash, confirmed by their shingles."""
    place_finder: str = ""
    """Who says which names are places: a finder that an installed package offers (docs/places.md);
    "": the one that comes with Lycosa."""


class ProcessSpec(Section):
    """How the work is spread."""

    workers: Annotated[int, Field(ge=0, le=1000)] | None = None
    """Processes that analyse pages; default: the cores. 0: all in one process."""
    deadline_s: TimeOut = 20.0
    """A page whose analysis takes longer is refused and its worker replaced."""


class ClusterSpec(Section):
    """What a crawl of several shards does besides."""

    replicate: str = ""
    """Where every shard keeps a copy of what it has found: a folder, or an address that fsspec knows, such as
    s3://bucket/owls. A shard whose folder is gone is put back from there. "": nowhere."""


class Spec(Section):
    """A whole crawl.toml."""

    name: FolderName = "crawl"
    """What the collection is called: also its folder, beside the spec."""
    strategy: str = "fused"
    """How links are ranked: see docs/strategies."""
    random_seed: int = 1
    """Every random draw follows from it."""
    topic: TopicSpec = TopicSpec()
    seeds: SeedsSpec = SeedsSpec()
    scope: ScopeSpec = ScopeSpec()
    limits: LimitsSpec = LimitsSpec()
    fetch: FetchSpec = FetchSpec()
    frontier: FrontierSpec = FrontierSpec()
    judge: JudgeSpec = JudgeSpec()
    archive: ArchiveSpec = ArchiveSpec()
    index: IndexSpec = IndexSpec()
    process: ProcessSpec = ProcessSpec()
    cluster: ClusterSpec = ClusterSpec()
    options: dict[str, dict[str, Any]] = {}
    """Settings of strategies, by strategy name; in the file each is a table of its own."""
    methods: dict[str, SerializeAsAny[Section]] = {}
    """The methods' own sections, by the method's name; in the file each is a table of its own."""
