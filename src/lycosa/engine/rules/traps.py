"""Crawler traps, told by the URL of a link and of its page.

Conservative: URLs that a real site may well publish pass, and limits per host catch the rest.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache

from lycosa.values import Link, Reason, Refusal

LONG_PATH = 600
DEEP_PATH = 20
MANY_PARAMETERS = 20
SAME_PARAMETER = 4
REPEATS = 3
SAME_SEGMENT = 4
"""A word that a path repeats this often, in a row or not, came from links that feed on themselves."""
FIRST_YEAR = 1900
"""The web tells of older years too, but its calendars lead there only step by step."""
YEARS_AHEAD = 3

_SESSION = re.compile(
    r"[;?&/](?:jsessionid|phpsessid|aspsessionid[a-z]*|cfid|cftoken|sessionid|session_id|sessid|sid|zenid|oscsid)"
    r"=[0-9a-z,._!%-]{12,}|[;?&/](?:s|session)=[0-9a-f]{26,}(?![0-9a-z])"
    r"|/\([a-z]\([0-9a-z]{20,}\)\)/|;jsessionid",
    re.IGNORECASE,
)
_CALENDAR = re.compile(
    r"[?&](?:[a-z_-]*(?:date|day|month|year|week)|cal|start|end|ym|tribe-bar-date)=(\d{4})(?!\d)"
    r"|/(?:calendar|kalender|calendario|calendrier|agenda|events?)/(?:[a-z]+/)?(\d{4})(?:[/-]\d{1,2})(?![\d])",
    re.IGNORECASE,
)


def no_trap(link: Link, page_url: str) -> Refusal | None:
    """Why a link, found on the page of this URL ('' where none is at hand), looks like a trap; None if it does not."""
    url = link.url
    return trap_refusal(url, page_url) if "?" in url else _without_query(url)


def trap_refusal(url: str, page_url: str = "", *, this_year: int | None = None) -> Refusal | None:
    """Why a URL, linked from `page_url`, looks like one of endlessly many; None if it does not.

    >>> trap_refusal("http://a.example/news/2016/07/10/title?id=123") is None
    True
    >>> trap_refusal("http://a.example/b/c/b/c/b/c").detail
    'the path repeats b/c'
    """
    query = url.find("?")
    # Most URLs leave here: nothing below can match without one of these.
    if query < 0 and len(url) < LONG_PATH and ";" not in url and "(" not in url:
        if url.count("/") < 5:
            return None
        found = _path_trap(url)
        if found is None and ("/cal" in url or "/kal" in url or "/agenda" in url or "/event" in url):
            found = _dated(url, this_year)
        return found
    found = _path_trap(url if query < 0 else url[:query]) or _session(url) or _dated(url, this_year)
    if found is None and query >= 0:
        found = _query_trap(url, query, page_url)
    return found


_without_query = lru_cache(maxsize=16_384)(trap_refusal)
"""Menus name the same URLs on every page, and only of a query it matters what page it stands on."""


def _path_trap(path: str) -> Refusal | None:
    if len(path) > LONG_PATH:
        return Refusal(Reason.TRAP, f"a path of {len(path)} characters")
    segments = path.split("/")[3:]
    if len(segments) > DEEP_PATH:
        return Refusal(Reason.TRAP, f"a path of {len(segments)} segments")
    if len(segments) - len(set(segments)) >= REPEATS - 1:
        return _repeated(segments) or _often(segments)
    return None


def _often(segments: list[str]) -> Refusal | None:
    for segment in segments:
        if segments.count(segment) >= SAME_SEGMENT and _is_wordy([segment]):
            return Refusal(Reason.TRAP, f"the path has {segment[:40]} {segments.count(segment)} times")
    return None


def _repeated(segments: list[str]) -> Refusal | None:
    """A segment, or a group of up to four, that comes three times in a row."""
    for size in range(1, 5):
        for start in range(len(segments) - REPEATS * size + 1):
            group = segments[start : start + size]
            if group * REPEATS == segments[start : start + REPEATS * size] and _is_wordy(group):
                return Refusal(Reason.TRAP, f"the path repeats {'/'.join(group)}")
    return None


def _is_wordy(group: list[str]) -> bool:
    # 0/0/0 is a place in a picture pyramid or a set of coordinates, not a link that feeds on itself.
    return any(not segment.isdigit() and segment for segment in group)


def _session(url: str) -> Refusal | None:
    found = _SESSION.search(url)
    return Refusal(Reason.TRAP, f"a session id: {found[0][:40]}") if found else None


def _dated(url: str, this_year: int | None) -> Refusal | None:
    for found in _CALENDAR.finditer(url):
        year = int(found[1] or found[2])
        this_year = this_year or time.gmtime().tm_year
        if not FIRST_YEAR <= year <= this_year + YEARS_AHEAD:
            return Refusal(Reason.TRAP, f"a calendar in the year {year}")
    return None


def _query_trap(url: str, query: int, page_url: str) -> Refusal | None:
    names = [pair.partition("=")[0] for pair in url[query + 1 :].split("&")]
    if len(names) > MANY_PARAMETERS:
        return Refusal(Reason.TRAP, f"{len(names)} query parameters")
    if len(names) >= SAME_PARAMETER:
        again = max(names, key=names.count)
        # Lists (colour[]=red&colour[]=blue) are chosen by people; a plain name that piles up is not.
        if names.count(again) >= SAME_PARAMETER and not again.endswith(("[]", "%5B%5D")):
            return Refusal(Reason.TRAP, f"the query repeats {again[:40]}")
    own = page_url.find("?")
    if own >= 0 and len(names) > MANY_PARAMETERS // 2 and url.startswith(page_url):
        return Refusal(Reason.TRAP, "the query grows from page to page")
    return None
