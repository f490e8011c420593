"""The sections of a spec, whose docstrings are docs/spec.md.

A strategy's settings are its constructor's arguments, in a table named after it: `[best-first]`, `[selective]`, …
"""

from __future__ import annotations

import datetime
import ipaddress
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
from pydantic.fields import FieldInfo

from lycosa.urls import Folding

NONE = "none"
"""The value of a key without a value: TOML has no null."""
PLACEHOLDER = "https://www.example.org/"
"""The URL in templates that the user has to replace; a crawl of it is refused."""
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
        raise ValueError("write a language as its two-letter code: en, de, fr, …")
    return given.lower()


LATEST = 1000
"""Maximum number of last pages that limits.until counts."""
UNTIL = re.compile(r"([1-9]\d{0,3}) in ([1-9]\d{0,3})")
UNTIL_RECALL = re.compile(r"recall (0?\.\d{1,4})")


def _until(given: str) -> str:
    found, recall = UNTIL.fullmatch(given), UNTIL_RECALL.fullmatch(given)
    is_yield = found is not None and int(found[1]) <= int(found[2]) <= LATEST
    if not is_yield and not (recall and float(recall[1])):
        raise ValueError(
            f'write it as "10 in 200": stop when fewer than 10 of the last 200 pages (at most {LATEST}) are relevant; '
            'or as "recall 0.9": stop when nine in ten relevant pages are estimated to be kept'
        )
    return given


CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Control characters and line breaks, which names leave out."""


def _folder_name(given: str) -> str:
    if not given.strip(" .") or len(given) > 200 or set(given) & set("/\0"):
        raise ValueError("the name becomes a folder: use letters and digits, without /")
    if CONTROL.search(given):
        raise ValueError("the name becomes a folder: leave out line breaks and control characters")
    return given


def _day(given: Any) -> Any:
    if isinstance(given, int | float):
        raise ValueError("write a day as 2026-11-15, without quotes")  # not as seconds since 1970
    return given


def _proxy(given: str) -> str:
    try:
        parts = urlsplit(given)
        is_proxy = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # unbalanced brackets, an invalid port
        is_proxy = False
    if given and not is_proxy:
        raise ValueError('write a proxy like "http://proxy.example:3128"')
    return given


def _endpoint(given: str) -> str:
    try:
        parts = urlsplit(given)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # unbalanced brackets, an invalid port
        is_url = False
    if given and (not is_url or "@" in parts.netloc or parts.query or parts.fragment):
        raise ValueError('write an endpoint like "http://127.0.0.1:11434/v1", without a password or query')
    return given.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return False


Proxy = Annotated[str, AfterValidator(_proxy)]
Day = Annotated[datetime.date, BeforeValidator(_day)]
LanguageCode = Annotated[str, AfterValidator(_language_code)]
FolderName = Annotated[str, AfterValidator(_folder_name)]


class Section(BaseModel):
    """A frozen table of the spec that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _without_value(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        may_be = {key for key, field in cls.model_fields.items() if type(None) in get_args(field.annotation)}
        return {key: None if value == NONE and key in may_be else value for key, value in given.items()}


def is_section(field: FieldInfo) -> bool:
    """Return whether a field is a table of its own."""
    return isinstance(field.annotation, type) and issubclass(field.annotation, Section)


class TopicSpec(Section):
    """What the crawl is about: keywords, a description, example pages, or a mix."""

    keywords: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    """Words and phrases of the topic, at most 1,000. Each counts like a frequent word of the examples."""
    description: str = ""
    """The topic in a few sentences. Words of the request ("pages that explain …") do not count; what a sentence excludes
    ("not …", "without …") counts against a page."""
    examples: tuple[str, ...] = ()
    """Relevant pages: URLs (which become pages of the collection) or files (HTML, text or PDF)."""
    negatives: tuple[str, ...] = ()
    """Pages that are not relevant, URLs or files. Classifiers and the topic learn from them."""
    exclude: tuple[str, ...] = ()
    """What the topic is not about: words and phrases, and pages, which join the negatives (URLs, or files that end in .html,
    .txt or .pdf)."""
    language: str = "english"
    """Language of the topic's words, by its English name: english, german, french, chinese, … It selects the stemmer,
    the stop words and the word frequencies."""
    model: str = ""
    """A text classifier from `lycosa train text`, used instead of one trained on the examples."""
    terms: PositiveInt = 100
    """Number of terms of the examples in the topic vector (k of the event paper)."""


class SeedsSpec(Section):
    """Where the crawl starts."""

    urls: tuple[str, ...] = ()
    """Pages to start from."""
    files: tuple[str, ...] = ()
    """Files with one URL per line; # starts a comment."""
    sitemaps: tuple[str, ...] = ()
    """Sitemaps or sitemap indexes: URLs or files."""
    feeds: tuple[str, ...] = ()
    """RSS or Atom feeds: URLs or files."""
    examples: bool = True
    """Also start from the pages that describe the topic ([topic] examples, model pages)."""
    discover: tuple[Literal["sitemaps", "feeds"], ...] = ("sitemaps", "feeds")
    """Lists of relevant sites that are read too: sitemaps in robots.txt, feeds announced in relevant pages. The best URLs
    in them are queued like links."""
    max_per_discovered: PositiveInt = 200
    """Maximum number of URLs queued from one of these lists, best first."""
    archive: bool = False
    """Start with every page of the crawled archives (fetch.web) and nothing else, as `lycosa import` does."""
    max_per_list: PositiveInt = 10_000
    """Maximum number of URLs from one file, sitemap or feed."""


class ScopeSpec(Section):
    """What may be fetched and kept, besides the seeds. Empty means no restriction."""

    hosts: tuple[str, ...] = ()
    """Only these hosts (`*.example.org` includes subdomains)."""
    domains: tuple[str, ...] = ()
    """Only these domains and their subdomains."""
    exclude_hosts: tuple[str, ...] = ()
    """Never these hosts (same patterns as hosts)."""
    include: tuple[str, ...] = ()
    """Only URLs with a path and query that match one of these patterns (`/news/*`)."""
    exclude: tuple[str, ...] = ()
    """Never URLs with a path and query that match one of these patterns (`*/print/*`)."""
    depth: NotNegativeInt | None = None
    """Maximum number of links between a seed and a page."""
    content_types: tuple[str, ...] = ("text/html", "application/xhtml+xml", "text/plain", "application/pdf")
    """Only responses with these content types are downloaded as pages. HTML, plain text, PDF and office files (docx, xlsx,
    pptx, odt, ods, odp) can be read."""
    respect: tuple[
        Literal["noai", "noimageai", "noarchive", "tdm", "search", "ai-input", "ai-train"], ...
    ] = ()
    """Do not keep pages whose owner has reserved one of these uses: noai, noimageai and noarchive in robots meta tags and
    X-Robots-Tag; tdm in the TDM Reservation Protocol; search, ai-input and ai-train in Content-Signal of robots.txt.
    All of them are recorded with each page in any case."""
    languages: tuple[LanguageCode, ...] = ()
    """Keep and follow only pages in these languages (ISO codes: en, de, …)."""
    unknown_language: bool = True
    """Whether pages of unknown language (little text, or only names and numbers) pass `languages`."""
    date_from: Day | None = None
    """Only pages published on or after this day, and undated pages."""
    date_to: Day | None = None
    """Only pages published on or before this day, and undated pages."""
    fold_tracking: bool = True
    """Whether URLs that differ only in tracking parameters such as `utm_source` or `fbclid` are one page. It cannot be
    changed for an existing collection."""
    avoid_traps: bool = True
    """Refuse URLs that look like one of an endless series, and series whose pages have nothing new."""

    @property
    def folding(self) -> Folding:
        """How URLs are folded into one page."""
        return Folding(tracking=self.fold_tracking)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.date_from and self.date_to and self.date_to < self.date_from:
            raise ValueError(f"date_to {self.date_to} is before date_from {self.date_from}")
        return self


class LimitsSpec(Section):
    """When the crawl ends by itself. "none" removes a limit."""

    pages: PositiveInt | None = 1000
    """Maximum number of pages fetched."""
    bytes: PositiveInt | None = None
    """Maximum number of bytes received."""
    hours: Hours | None = None
    """Maximum hours of crawling, without pauses between runs."""
    until: Annotated[str, AfterValidator(_until)] | None = None
    """"10 in 200": stop when fewer than 10 of the last 200 pages are judged relevant. "recall 0.9": stop when a version of
    the judge estimates a recall of 0.9 or more; it has to be a judge that learns, in a crawl without shards."""
    rendered: PositiveInt | None = 200
    """Maximum number of pages rendered by a browser (fetch.render). Further pages are kept as fetched."""
    pages_per_host: PositiveInt | None = None
    """Maximum number of pages of one host."""
    pages_per_site: PositiveInt | None = None
    """Maximum number of pages of one registrable domain."""
    site_share: Annotated[float, Field(gt=0, le=1)] = 0.2
    """Share of `pages` after which links of a site without seeds count half as much as others; after twice the share they
    count a quarter, and so on. 1: all sites count alike."""

    @property
    def pages_in_share(self) -> int | None:
        """The number of pages in one share; None without shares."""
        return (
            None if self.pages is None or self.site_share == 1 else max(1, int(self.pages * self.site_share))
        )


class FetchSpec(Section):
    """Requests to servers. The defaults are polite; think twice before changing them."""

    contact: str = ""
    """An address where site owners can reach you. It is part of the User-Agent."""
    user_agent: str = ""
    """The whole User-Agent, instead of the default (project and contact)."""
    concurrency: Annotated[int, Field(gt=0, le=10_000)] = 32
    """Maximum number of requests in flight, over all hosts. The crawl starts with fewer, so that early pages can influence
    later choices."""
    per_host_delay_s: Rest = 2.0
    """Delay between the end of a request and the next one to the same host."""
    per_host_concurrency: PositiveInt = 1
    """Maximum number of requests in flight to one host."""
    per_ip_concurrency: PositiveInt = 4
    """Maximum number of requests in flight to one IP address, which many hosts may share."""
    per_ip_delay_s: Rest = 0.0
    """Delay between two requests to one IP address."""
    max_crawl_delay_s: Rest = 60.0
    """Maximum Crawl-delay in robots.txt. Hosts with a longer one are refused."""
    connect_timeout_s: TimeOut = 10.0
    """Timeout for a connection."""
    read_timeout_s: TimeOut = 20.0
    """Timeout between two parts of a response."""
    total_timeout_s: TimeOut = 60.0
    """Timeout for a whole response."""
    stop_patience_s: TimeOut = 30.0
    """Time for requests in flight to finish when the crawl ends. A later run repeats the others."""
    retries: NotNegativeInt = 2
    """Number of retries after a passing fault (timeout, broken connection, 429, 5xx)."""
    max_retry_after_s: Rest = 3600.0
    """Maximum Retry-After. A longer one is shortened to this."""
    max_bytes: PositiveInt = 10_000_000
    """Maximum size of a response body as received. A page above 256 MB is archived, but cannot be read back."""
    max_decoded_bytes: PositiveInt = 50_000_000
    """Maximum size of a response body after decompression."""
    max_redirects: NotNegativeInt = 10
    """Maximum number of redirects in a row."""
    max_url_length: PositiveInt = 2000
    """Longer URLs are refused."""
    verify_tls: bool = True
    """Refuse servers with an invalid certificate. Turn off to archive a site whose certificate has expired."""
    obey_robots: bool = True
    """Obey robots.txt (RFC 9309). Turn off only for your own sites."""
    obey_nofollow: bool = True
    """Obey nofollow and noindex in robots meta tags and X-Robots-Tag headers."""
    obey_rel_nofollow: bool = False
    """Do not follow links marked rel=nofollow (which addresses search engines, not visitors)."""
    cookies: bool = False
    """Keep cookies, separately for each host."""
    headers: dict[str, str] = {}
    """Additional request headers, for every host."""
    auth: dict[str, str] = {}
    """Basic authentication: host = "user:password"."""
    proxy: Proxy = ""
    """An HTTP proxy: http://host:port."""
    allow_private: tuple[str, ...] = ()
    """Hosts (names or patterns) that may have private or local addresses."""
    render: Literal["never", "needed", "always"] = "never"
    """Which pages a browser renders (`pip install 'lycosa[browser]'`): none; those that show little without one and whose
    link or site is promising; or all. Its requests are as polite as others, and archived."""
    render_timeout_s: TimeOut = 60.0
    """Timeout for rendering a page, including delays of its hosts. The document at that time is kept."""
    browser_sandbox: bool = True
    """Whether the browser has a sandbox, which root cannot have. Without a sandbox, a page that exploits the browser has
    access to your account: turn off only with nothing to lose, such as in a container."""
    web: tuple[str, ...] = ()
    """Crawl these archives instead of the network, without delays: WARC or WACZ files, folders of them, or collections.
    The same as `lycosa crawl --web`."""
    connect_to: dict[str, str] = {}
    """Connect to this address instead of resolving the host: "*.demo.test" = "127.0.0.1:8080"."""


class FrontierSpec(Section):
    """The queue of URLs."""

    min_priority: float | None = None
    """Links with a lower priority are refused."""
    selectivity: Share = 0.5
    """How selective the crawl is while the best hosts rest: a link waits if its priority is less than this share of one
    that may soon go. 0: never wait (faster, with a lower harvest)."""
    max_waiting: PositiveInt = 10_000_000
    """Maximum number of waiting URLs. The worst are dropped above it."""


class AssistantSpec(Section):
    """A language model that answers the questions of `lycosa label` (docs/assistant.md). It is off without an endpoint."""

    endpoint: Annotated[str, AfterValidator(_endpoint)] = ""
    """Base URL of an OpenAI-compatible API, such as "http://127.0.0.1:11434/v1" (Ollama). Title, URL and lead of pages are
    sent there."""
    model: str = ""
    """Name of the model."""
    questions: PositiveInt = 30
    """Maximum number of questions, over all runs of the crawl."""
    key_env: str = ""
    """Name of the environment variable with the API key. The key itself is stored nowhere."""
    timeout_s: TimeOut = 60.0
    """Timeout for one answer."""
    share_for_people: Share = 0.2
    """Share of the answered pages that `lycosa label` asks you about too, to measure agreement."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if bool(self.endpoint) != bool(self.model):
            raise ValueError("endpoint and model belong together: give both, or none")
        parts = urlsplit(self.endpoint)
        if self.key_env and parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
            raise ValueError("a key is sent over https only, or to this machine: use an https endpoint")
        return self


class JudgeSpec(Section):
    """What makes a page relevant, for every strategy."""

    kind: str = "topic"
    """Which judge: `topic` (learns from the topic and the fetched pages), `text` (a classifier trained on examples and
    negatives), `all` (keeps every page), a method's judge, such as `event`, or your own class or function:
    `FILE.py:NAME` (docs/python.md)."""
    threshold: Share | None = None
    """Pages with at least this probability are relevant. Default: estimated during the crawl for `topic` and `event`, the
    classifier's decision boundary for `text`."""
    meaning: str = "auto"
    """Whether `topic` also compares what pages mean, by a sentence encoder: `auto` (if lycosa[meaning] is installed and the
    topic is in English), `none`, or the folder of a sentence-transformers model (docs/judge.md)."""
    assistant: AssistantSpec = AssistantSpec()


class ArchiveSpec(Section):
    """What is archived."""

    requisites: Literal["none", "relevant", "all"] = "none"
    """For which pages to fetch stylesheets, images, fonts and scripts."""
    max_requisites: PositiveInt = 100
    """Maximum number of requisites of one page."""
    warc_bytes: PositiveInt = 1_000_000_000
    """Size at which a WARC file is closed and the next one started."""
    known: tuple[str, ...] = ()
    """Folders of other collections. Links to pages that they have kept are not followed (seeds are), and a page with the
    same bytes is archived as a reference."""
    revisit_after_h: Hours | None = None
    """Fetch relevant pages, seeds, hubs, feeds and sitemaps again after this many hours, in this run or a later one. Then
    the interval follows how often each changes, from an eighth to eight times of this."""
    revisit_share: Share = 0.2
    """Maximum number of these visits per run, as a share of limits.pages. They continue when limits.pages is reached."""


class IndexSpec(Section):
    """When data for searching is computed: `now` (with each page), `later` (by `lycosa index`), or `never`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Literal["now", "never"]] = Field(init=False)  # keys that methods add

    text: When = "now"
    """Full-text index."""
    near_duplicates: When = "now"
    """Near-duplicates, found by simhash and confirmed by shingles."""
    place_finder: str = ""
    """The finder of place names: one of an installed package (docs/places.md), or "" for the built-in one."""


class ProcessSpec(Section):
    """Processes that analyse pages."""

    workers: Annotated[int, Field(ge=0, le=1000)] | None = None
    """Number of worker processes. Default: the number of cores. 0: no extra process."""
    deadline_s: TimeOut = 20.0
    """Timeout for analysing a page. The page is refused and its worker replaced."""


class Spec(Section):
    """A whole crawl.toml."""

    name: FolderName = "crawl"
    """Name of the collection and of its folder, next to the spec."""
    strategy: str = "fused"
    """How links are ranked; see docs/strategies."""
    random_seed: int = 1
    """Seed of all random draws."""
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
    options: dict[str, dict[str, Any]] = {}
    """Settings of strategies, by strategy name; in the file each is a table."""
    methods: dict[str, SerializeAsAny[Section]] = {}
    """Methods' own sections, by method name; in the file each is a table."""
