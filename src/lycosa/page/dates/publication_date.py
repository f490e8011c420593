"""Find the day on which a page was published.

A day in the URL decides. Otherwise meta tags, JSON-LD, microdata, `<time>`, marked elements and the lines around the
heading vote. If their votes do not suffice, the rest of the body and htmldate are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from html import unescape
from itertools import islice
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa.page.dates.json_ld import json_ld_votes
from lycosa.page.dates.spelled_days import FIRST_PAGE, TEXT_CHARS, date_in, date_of_url, month_of_url
from lycosa.urls import host_of

_TAGS = 400  # looked at per page and kind
_ELEMENT_CHARS = 200_000  # of text read from marked elements, which may be nested
_BODY_CHARS = 500_000
_SCRIPT_DAYS = 500  # days read from the scripts of a page

Vote = tuple[date, str]
"""A day, and the place that names it: a key of `_WEIGHTS`."""


DOUBTFUL = frozenset(("body", "script", "htmldate", "prose", "changed", "title, changed"))
"""Places that may name any day the page speaks of, and not the one it was published on."""


class FoundDate(NamedTuple):
    """A publication date and the place that named it (`url`, `meta`, `json-ld`, `title`, …)."""

    date: date
    how: str

    @property
    def is_doubtful(self) -> bool:
        """Whether only such a place names the day: it must not be told as a fact.

        >>> FoundDate(date(2001, 9, 11), "prose").is_doubtful, FoundDate(date(2016, 7, 10), "url").is_doubtful
        (True, False)
        """
        return self.how in DOUBTFUL


class _Reading(NamedTuple):
    """How days are to be read on a page."""

    latest: date
    month_first: bool  # 3/11/2023 is in March
    known: frozenset[date] = frozenset()  # days that its markup names without doubt of this kind

    def day_in(self, text: str) -> date | None:
        """The first day of a text; of a day that can be read in two ways, the way that the markup agrees with."""
        day = date_in(text, self.latest, month_first=self.month_first)
        if day is None or not self.known or day in self.known or day.day > MONTHS:
            return day
        other = date_in(text, self.latest, month_first=not self.month_first)
        return other if other in self.known else day


MONTHS = 12
FAR_DAYS = 30
"""A day that only readers see and that lies this far from the one in the markup is of something else …"""
FAR_WEIGHT = -1.3
"""… more often than not (fitted with the weights)."""
SEEN = frozenset(("title", "above title", "published", "dated", "time"))
MARKED = frozenset(("meta", "json-ld", "microdata", "json-ld of page"))

_WEIGHTS = {
    "title": 2.0,
    "meta": 1.8,
    "published": 1.1,
    "above title": 1.0,
    "json-ld": 0.9,
    "microdata": 0.9,
    "title, changed": 0.6,
    "meta, any date": 0.6,
    "dated": 0.6,
    "time": 0.5,
    "json-ld of page": 0.5,
    "json-ld, changed": 0.4,
    "meta, changed": 0.3,
    "prose": 0.2,
    "changed": 0.1,
}
"""What the first day named by a place weighs: a conditional logit fitted on one half of the hosts of
data/dates, rounded. Days of change weigh little, but are better than none."""
_MONTH_OF_URL_WEIGHT = 0.5
_ENOUGH = 0.3  # below, the rest of the body is asked first


def publication_date(tree: LexborHTMLParser, html: str | bytes, url: str, today: date) -> FoundDate | None:
    """The day a page was published, and what said so; None where nothing does.

    `html` is what `tree` was parsed from. Never raises, whatever the page holds, and never returns
    a day after `today` or before the Web.
    """
    if day := date_of_url(url, today):
        return FoundDate(day, "url")
    text = html if isinstance(html, str) else html[: 2 * _BODY_CHARS].decode("utf-8", "replace")
    marked = [*_meta_votes(tree, today), *json_ld_votes(tree, today)]
    reading = _Reading(today, _is_american(tree, url), frozenset(day for day, _ in marked))
    votes = [*marked, *_element_votes(tree, reading), *_title_votes(text, reading)]
    winner, weight = _most_votes(votes, month_of_url(url))
    if weight >= _ENOUGH:
        return winner
    labelled, first = _days_in_lines(text, reading)
    if labelled:
        return FoundDate(labelled, "body")
    if day := _day_in_scripts(text, today):
        return FoundDate(day, "script")
    if (first or _IN_NUMBERS.search(text)) and (day := _ask_htmldate(text, url, today)):
        return FoundDate(day, "htmldate")
    return FoundDate(first, "body") if first else winner


def _most_votes(votes: Iterable[Vote], month: tuple[int, int] | None) -> tuple[FoundDate | None, float]:
    """The day of most weight; of each place only the first day counts, of equal days the first."""
    first: dict[str, date] = {}
    for day, place in votes:
        first.setdefault(place, day)
    weights: dict[date, float] = {}
    for place, day in first.items():
        start = _MONTH_OF_URL_WEIGHT if (day.year, day.month) == month else 0.0
        weights[day] = weights.get(day, start) + _WEIGHTS[place]
    if not weights:
        return None, 0.0
    marked = {day for place, day in first.items() if place in MARKED}
    for day in {day for place, day in first.items() if place in SEEN} - marked:
        if marked and min(abs((day - other).days) for other in marked) > FAR_DAYS:
            weights[day] += FAR_WEIGHT
    winner = max(weights, key=weights.__getitem__)
    places = [place for place, day in first.items() if day == winner]
    return FoundDate(winner, max(places, key=_WEIGHTS.__getitem__)), weights[winner]


_DAY_FIRST = re.compile(r"\.(?:uk|ie|au|nz|in|za|sg|ng|ke|gh|pk|bd|lk|mt|eu)$", re.IGNORECASE)
"""Where English is written and 3/11/2023 is in November."""


def _is_american(tree: LexborHTMLParser, url: str) -> bool:
    """Whether 3/11/2023 is to be read as March: English, and not said to be of elsewhere."""
    root = tree.css_first("html")
    language = ((root.attributes.get("lang") or "") if root is not None else "").lower()
    elsewhere = language[2:5] in ("-gb", "-au", "-in", "-ie", "-nz", "-za") or (
        not language.startswith("en-us") and _DAY_FIRST.search(host_of(url).partition(":")[0])
    )
    return language.startswith("en") and not elsewhere


_META = {
    name: place
    for place, names in (
        (
            "meta",
            "article:published_time article:published og:article:published_time og:published_time og:pubdate "
            "shareaholic:article_published_time vr:published-time datepublished pubdate publishdate "
            "publish-date publish_date publication_date publication-date pub_date published-date "
            "published_time sailthru.date parsely-pub-date rnews:datepublished cxenseparse:recs:publishtime "
            "cxenseparse:publishtime dc.date.issued dcterms.issued dcterms.available citation_online_date "
            "citation_publication_date prism.publicationdate bt:pubdate originalpublicationdate "
            "article.published article_date_original dc.date.published dateposted publishedat published_at "
            "bepress_citation_online_date",
        ),
        (
            "meta, any date",
            "date dc.date dc:date dcterms.date dcterms.created dc.date.created dc.created citation_date "
            "article.created datecreated gentime uploaddate release_date created created_time "
            "bepress_citation_date article:post_date timestamp",
        ),
        (
            "meta, changed",
            "article:modified_time article:modified og:updated_time og:article:modified_time datemodified "
            "last-modified lastmod dcterms.modified dc.date.modified modified revised "
            "shareaholic:article_modified_time",
        ),
    )
    for name in names.split()
}


_META_WORDS = (
    (re.compile(r"expir|unpubl|valid|birth|death|event|start|end|crawl|index|verif|copyright|template"), ""),
    (re.compile(r"modif|updat|revis|lastmod|changed|moddate|utime|lastdate"), "meta, changed"),
    (
        re.compile(
            r"(?:publi|issued|posted|pub)[\w:.-]*(?:date|time|at$|on$)|(?:date|time)[\w:.-]*(?:publi|issued|posted)"
        ),
        "meta",
    ),
    (re.compile(r"date|created|uploaded|(?:^|[:._-])p?time$"), "meta, any date"),
)
"""What the names of other meta tags say by their parts; the first that fits."""


@lru_cache(maxsize=4096)
def _meta_place(name: str) -> str:
    """What a meta tag of this name tells; '' if no day.

    >>> _meta_place("article:published_date"), _meta_place("lastmodified"), _meta_place("expires_date"), _meta_place("viewport")
    ('meta', 'meta, changed', '', '')
    """
    if known := _META.get(name):
        return known
    return next((place for words, place in _META_WORDS if words.search(name)), "")


def _meta_votes(tree: LexborHTMLParser, today: date) -> Iterator[Vote]:
    for tag in tree.css("meta[content]")[:_TAGS]:
        values = tag.attributes
        for attribute in ("property", "name", "itemprop", "http-equiv"):
            place = _meta_place((values.get(attribute) or "")[:TEXT_CHARS].lower())
            if place and (day := date_in(values.get("content") or "", today)):
                yield day, place


_CHANGED = re.compile(
    r"updat|modif|chang|edit|aktualisier|ge.ndert|.nderung|bearbeit|stand\b|mise . jour|actualiz|aggiorn",
    re.IGNORECASE,
)
_PUBLISHED = re.compile(r"publi|posted|created|erschienen|ver.ffentlich|entry-date|post-date", re.IGNORECASE)
_DATED_ELEMENTS = "time, " + ", ".join(
    f'[{attribute}*="{part}" i]'
    for attribute in ("class", "id", "itemprop", "property")
    for part in ("date", "publi", "posted", "time", "datum", "byline", "created")
)


_NO_TEXT = frozenset(("html", "head", "body", "meta", "link", "script", "style", "img", "input"))


def _element_votes(tree: LexborHTMLParser, reading: _Reading) -> Iterator[Vote]:
    left = _ELEMENT_CHARS
    for tag in tree.css(_DATED_ELEMENTS)[:_TAGS]:
        if tag.tag in _NO_TEXT:
            continue
        day, read = _day_of(tag, reading)
        if day is not None:
            yield day, _place_of(tag)
        left -= read
        if left < 0:
            return


def _place_of(tag: LexborNode) -> str:
    values = tag.attributes
    marks = " ".join(values.get(name) or "" for name in ("itemprop", "property", "class", "id"))[:TEXT_CHARS]
    if "datepublished" in (values.get("itemprop") or "").lower():
        return "microdata"
    if _CHANGED.search(marks):
        return "changed"
    if _PUBLISHED.search(marks) or "pubdate" in values:
        return "published"
    return "time" if tag.tag == "time" else "dated"


def _day_of(tag: LexborNode, reading: _Reading) -> tuple[date | None, int]:
    """The day of an element's attributes or text, and how many characters had to be read."""
    values = tag.attributes
    for attribute in ("datetime", "content", "title"):
        if day := reading.day_in(values.get(attribute) or ""):
            return day, 0
    text = tag.text(separator=" ").strip()
    short = len(text) < TEXT_CHARS
    return (reading.day_in(text) if short else None), len(text)


_OF_SOMETHING_ELSE = re.compile(
    r"\b(?:born|died|founded|established|join(?:ed| date)|registered|member since|deadline|clos(?:es|ing)|expir\w+|"
    r"valid|until|geboren|gestorben|gegr.ndet|registriert|mitglied seit|\w*schluss|g.ltig|bis|née?|fondée?|inscrit|"
    r"nacido|fundad[oa])\b",
    re.IGNORECASE,
)
"""Lines with such a word name the day of a life, of a membership, of a beginning or an end."""
_TITLE = re.compile(r"<h1[\s>]", re.IGNORECASE)
_SILENT = re.compile(
    r"<(script|style|svg|noscript)\b.*?(?:</\1|$)|<!--.*?(?:-->|$)", re.IGNORECASE | re.DOTALL
)
_BREAK = re.compile(
    r"</?(?:p|div|li|ul|h\d|header|section|article|br|td|tr|figure|figcaption|a|aside|footer)\b[^<>]{0,500}>",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]*>?")
_CELL = "\ufdd0"  # begins what stands in a cell of a table: data of what the page is about, as "Founded 30 November 1999"
_AGO = re.compile(
    r"""<time\b[^<>]{0,300}?\bdatetime=["']?([^"'<> ]{8,40})[^<>]{0,300}>[^<>0-9]{0,40}(?:[0-9]{1,2}[^<>0-9]{1,40})?</time""",
    re.IGNORECASE,
)  # "12 years ago": the day that readers are told so is in the markup
_CELLS = re.compile(r"<t[dh]\b[^<>]{0,500}>", re.IGNORECASE)
_SENTENCE = re.compile(
    r"(?:\w+\W+){7}.*[.!?]$"
)  # eight words tell something, and the day is that of what they tell
_YEAR_IN = re.compile(r"199\d|20\d\d|\d\.\s?\d\d")  # or 13.10.11
_BELOW_CHARS = 6000
_ABOVE_CHARS = 1500
_RAW_CHARS = 30_000  # of markup, scripts included, to find those in
_LINE_CHARS = 100  # a longer line is prose, and its day may be any


def _title_votes(html: str, reading: _Reading) -> Iterator[Vote]:
    """Days in the lines around the main heading, where readers look for them."""
    title = _TITLE.search(html)
    if title is None:
        return
    at = title.start()
    below = _SILENT.sub(" ", html[at : at + _RAW_CHARS])[:_BELOW_CHARS]
    above = _SILENT.sub(" ", html[max(0, at - _RAW_CHARS // 5) : at])[-_ABOVE_CHARS:]
    for place, part in (("title", below), ("above title", above)):
        for line, day in _dated_lines(part, reading):
            if _CHANGED.search(line[:_LINE_CHARS]):
                yield day, "title, changed"
            elif _is_prose(line):
                yield day, "prose"
            else:
                yield day, place
                break


def _is_prose(line: str) -> bool:
    """Whether a line tells something, so that its day may be any."""
    return (
        len(line) > _LINE_CHARS
        or line.startswith(_CELL)
        or bool(_SENTENCE.search(line) or _OF_SOMETHING_ELSE.search(line))
    )


def _dated_lines(html: str, reading: _Reading, longest: int = 5 * TEXT_CHARS) -> Iterator[tuple[str, date]]:
    """Lines of text that name a day; those longer than that are not read."""
    html = _AGO.sub(r" \1 ", html)
    for raw in _TAG.sub(" ", _BREAK.sub("\n", _CELLS.sub(f"\n{_CELL}", html))).split("\n"):
        if _YEAR_IN.search(raw):
            line = unescape(raw[: 5 * TEXT_CHARS]).strip()
            if len(line) <= longest and (day := reading.day_in(line)):
                yield line, day


_LABEL = re.compile(
    r"publi|posted|erschien|ver.ffentlich|datum|\bdate\b|\bfecha\b|\bdata\b|geschrieben|eingestellt|written|"
    r"\bam \d|\bon \w+ \d|\bvom \d|\bvon\b|\bby\b",
    re.IGNORECASE,
)


def _days_in_lines(html: str, reading: _Reading) -> tuple[date | None, date | None]:
    """The first day of a short line that calls it a publication, and the first of any short line."""
    first: date | None = None
    body = html[max(0, html.find("<body")) :][:_BODY_CHARS]
    if _YEAR_IN.search(body) is None:
        return None, None
    for line, day in _dated_lines(_SILENT.sub(" ", body), reading, _LINE_CHARS):
        if _CHANGED.search(line) or _OF_SOMETHING_ELSE.search(line):
            continue
        if _LABEL.search(line):
            return day, first or day
        first = first or day
    return None, first


_IN_SCRIPTS = re.compile(
    r"""["'\\](?:date_?published|published_?(?:at|date|time|on)|publish_?(?:date|time|edAt)|publication_?date|first_?published|"""
    r"""pub_?date|created_?at|date_?created|upload_?date|post_?date|display_?date)\\?["']\s*:\s*\\?["']?([^"'\\,}]{8,40})""",
    re.IGNORECASE,
)


def _day_in_scripts(html: str, today: date) -> date | None:
    """The first day that data for scripts calls one of publication: pages that scripts build have no other."""
    for match in islice(_IN_SCRIPTS.finditer(html, 0, _BODY_CHARS), _SCRIPT_DAYS):
        if day := date_in(match[1], today):
            return day
    return None


_IN_NUMBERS = re.compile(r"[0-9](?:[-/.][0-9]{1,2}[-/.][0-9]{2}|(?:99|0[0-9])[0-9][01][0-9][0-3][0-9])")
"""A day in numbers. Without one htmldate finds only days of the running text, which are hardly ever that of the page, and
takes most of the time that a page without a day costs."""


def _ask_htmldate(html: str, url: str, today: date) -> date | None:
    """htmldate without its extensive search, which takes seconds to load and guesses from years."""
    from htmldate import find_date

    try:
        text = find_date(
            html[:_BODY_CHARS],
            extensive_search=False,
            original_date=True,
            url=url,
            min_date=FIRST_PAGE.isoformat(),
            max_date=today.isoformat(),
        )
        return date.fromisoformat(text) if text else None
    except Exception:  # a reader of hostile pages may fail in any way; one page without a date is no harm
        return None
