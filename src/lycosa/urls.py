"""URLs: parsing by WHATWG, identity, authority, registrable domain, tokens.

The *identity* of a URL is a normalised form used only to compare: for deduplication, labels and
look-ups in archives. What is requested, used as base and archived is the URL as found.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import ada_url
import xxhash

INDEX_NAMES = frozenset(
    f"{stem}.{ending}"
    for stem in ("index", "default")
    for ending in ("html", "htm", "php", "asp", "aspx", "jsp", "shtml", "cfm")
)
"""File names that mean their directory. A virtual web may name more (`index_names`)."""

TRACKING = frozenset(
    (
        "fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid twclid ttclid igshid igsh mc_cid mc_eid "
        "mkt_tok _hsenc _hsmi hsctatracking oly_anon_id oly_enc_id vero_id wickedid rb_clickid s_cid "
        "ml_subscriber ml_subscriber_hash _openstat yadfrom srsltid epik __twitter_impression "
        "_ga _gl _branch_match_id fb_action_ids fb_action_types fb_ref fb_source ga_campaign ga_content ga_medium "
        "ga_source ga_term irclickid li_fat_id mkwid ndclid ns_campaign ns_mchannel ns_source pcrid pk_campaign "
        "pk_cid pk_content pk_keyword pk_kwd pk_medium pk_source ref_src ref_url sccid vero_conv wt.mc_id wt_mc "
        "xtor ysclid"
    ).split()
)
"""Query parameters that say who came from where, never what is shown. Those of `TRACKING_PREFIXES` belong to them.

Left alone are names that others fold too and that some sites mean: ref, source, session, id, campaign.
"""
TRACKING_PREFIXES = ("utm_", "mtm_", "matomo_", "piwik_", "hsa_", "itm_")


class Folding(NamedTuple):
    """Differences between URLs that do not change the page, and are left out of the identity."""

    index_names: frozenset[str] = INDEX_NAMES
    tracking: bool = True


FOLDING = Folding()

URL_CHARS = 8_000
"""No page has a longer URL; a link that is longer leads nowhere."""

ROUNDS = 8
"""In which a URL is simplified; those of real pages need one or two, and the last one only looks."""

_UNRESERVED_ESCAPE = re.compile(r"%(2[dD]|2[eE]|5[fF]|7[eE]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])")
_BARE_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_LOWER_ESCAPE = re.compile(r"%(?:[0-9A-F][a-f]|[a-f][0-9a-fA-F])")
_SLASHES = re.compile(r"/{2,}")
# A URL that a browser sends as it is written, if no part of its path begins with a dot and no name of its host is encoded.
_as_sent = re.compile(
    r"https?://(?:[a-z0-9-]++\.)++[a-z]{2,}+/[a-zA-Z0-9_.~!$&()*+,;=:@/-]*+(?:\?[a-zA-Z0-9_.~!$&()*+,;=:@/?%-]*+)?+"
).fullmatch
_TOKEN = re.compile(r"[^\W_]+")
_NOT_TELLING = frozenset("http https www com html htm php asp aspx jsp".split())


def parse(url: str) -> str | None:
    """The URL as a browser would send it, without its fragment; None if it is not http(s).

    >>> parse("HTTP://Example.COM:80/a/../b c#top")
    'http://example.com/b%20c'
    >>> parse("mailto:a@b.example") is None
    True
    """
    if is_as_sent(url):
        return url
    try:
        href: str = ada_url.normalize_url(url)
    except (ValueError, UnicodeError):
        return None
    return _web_url(href)


def is_as_sent(url: str) -> bool:
    """Whether a URL is clearly one that a browser sends as it is written, as most are: then nobody need parse it.

    >>> is_as_sent("http://a.example/b?c"), is_as_sent("http://a.example/b/../c"), is_as_sent("http://a.example/b c")
    (True, False, False)
    """
    return _as_sent(url) is not None and "/." not in url and "xn--" not in url


def join(base: str, reference: str) -> str | None:
    """What a link on the page at `base` leads to, without fragment; None if it is not http(s).

    >>> join("http://a.example/b/c", "../d?e#f")
    'http://a.example/d?e'
    """
    if (url := _put_together(base, reference.partition("#")[0])) and is_as_sent(url):
        return url
    try:
        href: str = ada_url.join_url(base, reference)
    except (ValueError, UnicodeError):
        return None
    return _web_url(href)


def _put_together(base: str, reference: str) -> str:
    """What a reference to another page leads to, unless one of them has to be parsed for it; '' where that is clear."""
    if reference.startswith(("http://", "https://")):
        return reference
    if reference.startswith("/"):
        return "" if reference.startswith("//") else authority_of(base) + reference
    if not reference or reference.startswith("?") or ":" in reference:
        return ""
    path = base.partition("?")[0]
    return path[: path.rfind("/", 8) + 1] + reference if path.find("/", 8) > 0 else ""


def _web_url(href: str) -> str | None:
    if not href.startswith(("http://", "https://")):
        return None
    at = href.find("#")
    url = href if at < 0 else href[:at]
    end = url.find("/", 8)
    authority = url[:end]
    return _plain(url, end) if "@" in authority or authority[-1] == "." or ".:" in authority else url


def _plain(url: str, end: int) -> str | None:
    """Without user, password and the root's dot: else any page could make one host look like many."""
    scheme, _, authority = url[:end].partition("//")
    host, colon, port = authority.rpartition("@")[2].rpartition(":")
    if not colon or "]" in port:
        host, colon, port = authority.rpartition("@")[2], "", ""
    host = host.rstrip(".")
    return f"{scheme}//{host}{colon}{port}{url[end:]}" if host else None


def identity(url: str, folding: Folding = FOLDING) -> str:
    """The normalised form of a parsed http(s) URL; the same for URLs that mean the same page.

    Multimedia paper 5.1: lower-case scheme and host, upper-case escapes, unreserved characters
    decoded, default port, directory index, empty query, fragment, duplicate and trailing slashes
    dropped; and tracking parameters dropped, unless `folding` says otherwise. Idempotent: a URL that is not settled after `ROUNDS`
    was made up, and is its own identity.

    >>> identity("http://a.example/%7Ebob//index.html?utm_source=x")
    'http://a.example/~bob'
    """
    now = url
    for _ in range(ROUNDS):
        simpler = _simplify(now, folding)
        if simpler == now:
            return now
        # Dropping one thing can bare another: a second index name, dots that were escaped.
        now = parse(simpler) or simpler
    return url


def _simplify(url: str, folding: Folding) -> str:
    href = url
    if "%" in href:
        # A sign that escapes nothing would escape what is decoded behind it: /%%34%31 is not /A.
        if not _BARE_PERCENT.search(href):
            href = _UNRESERVED_ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), href)
        href = _LOWER_ESCAPE.sub(lambda escape: escape[0].upper(), href)
    rest, _, query = href.partition("?")
    start = rest.find("/", 8)
    if start < 0:
        return href
    path = rest[start:]
    if "//" in path:
        path = _SLASHES.sub("/", path)
    head, _, last = path.rpartition("/")
    if not last or last.lower() in folding.index_names:
        path = head
    if query:
        pairs = filter(None, query.split("&"))
        query = "&".join(pair for pair in pairs if not (folding.tracking and is_tracking(pair)))
    root = "" if path else "/"
    return rest[:start] + path + root + ("?" + query if query else "")


def is_tracking(pair: str) -> bool:
    """Whether a part of a query says only who came from where.

    >>> is_tracking("utm_source=x"), is_tracking("id=3")
    (True, False)
    """
    name = pair.partition("=")[0].lower()
    return name in TRACKING or name.startswith(TRACKING_PREFIXES)


def key_of(url: str, folding: Folding = FOLDING) -> int:
    """The 64-bit key (signed, as SQLite stores it) of a URL's identity. Never 0.

    http and https of one address are two identities: servers may answer them differently.
    """
    return hash_of(identity(url, folding))


def hash_of(text: str) -> int:
    """A 64-bit hash of a string, signed, never 0."""
    return int(xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))) - (1 << 63) or 1


def hashes_of(texts: Iterable[str]) -> array[int]:
    """`hash_of` of each, in a third of the time.

    >>> hashes_of(["owl", "night"]).tolist() == [hash_of("owl"), hash_of("night")]
    True
    """
    digest = xxhash.xxh3_64_intdigest
    return array("q", [digest(text.encode("utf-8", "surrogatepass")) - (1 << 63) or 1 for text in texts])


def authority_of(url: str) -> str:
    """Scheme, host and port of a parsed URL: what politeness and robots.txt belong to.

    >>> authority_of("http://a.example:8080/b?c")
    'http://a.example:8080'
    """
    end = url.find("/", 8)
    return url if end < 0 else url[:end]


def host_of(url: str) -> str:
    """The host name of a parsed URL, without port and user.

    >>> host_of("http://me@a.example:8080/b"), host_of("http://[::1]:80/")
    ('a.example', '[::1]')
    """
    host = authority_of(url).partition("//")[2].rpartition("@")[2]
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


@cache
def suffix_rules() -> frozenset[str]:
    """The rules of the Public Suffix List that tldextract has installed, those of private owners too.

    The package itself is loaded only where its list is not in the file that we know: it brings an HTTP client along, which takes
    .09 s, and this .01.
    """
    package = find_spec("tldextract")
    assert package is not None
    assert package.origin is not None
    try:
        text = Path(package.origin).with_name(".tld_set_snapshot").read_text(encoding="utf-8")
    except OSError:
        import tldextract

        offline = tldextract.TLDExtract(suffix_list_urls=(), include_psl_private_domains=True, cache_dir=None)
        return frozenset(offline.tlds)
    return frozenset(
        line.split(None, 1)[0] for line in text.split("\n") if line.strip() and not line.startswith("//")
    )


@lru_cache(maxsize=100_000)
def source_of(authority: str) -> str:
    """The registrable domain of an authority (or URL): the *source* of its pages.

    Hosts without one (addresses, local names) are their own source. Owners of names below a
    shared suffix (`someone.github.io`) are sources of their own.

    >>> source_of("http://news.bbc.co.uk"), source_of("http://127.0.0.1:80")
    ('bbc.co.uk', '127.0.0.1')
    >>> source_of("http://news.town.test")
    'town.test'
    """
    host = host_of(authority)
    labels = host.rstrip(".").split(".")
    if len(labels) == 1 or labels[-1].isdecimal():
        return host
    start = _suffix_start([_in_letters(label) for label in labels])
    return ".".join(labels[start - 1 :]) if start else host


def _suffix_start(labels: Sequence[str]) -> int:
    """Where the public suffix of a name begins: the longest rule holds, exceptions (`!`) before all [publicsuffix.org].

    >>> [_suffix_start(name.split(".")) for name in ("www.bbc.co.uk", "a.b.ck", "a.www.ck", "a.b.test")]
    [2, 1, 2, 2]
    """
    rules = suffix_rules()
    for start in range(len(labels)):
        above = ".".join(labels[start + 1 :])
        name = f"{labels[start]}.{above}" if above else labels[start]
        if f"!{name}" in rules:
            return start + 1
        if name in rules or f"*.{above}" in rules:
            return start
    return len(labels) - 1  # the list's own default rule: of an unknown suffix, the last label is the suffix


def _in_letters(label: str) -> str:
    """A label as the list writes it: in the letters of its language.

    >>> _in_letters("xn--bcher-kva"), _in_letters("xn--\u00fc"), _in_letters("org")
    ('bücher', 'xn--ü', 'org')
    """
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def tokens(url: str) -> list[str]:
    """The words of a URL, lower case, numbers kept; without http, www, com and punctuation.

    >>> tokens("http://www.bbc.com/news/2016/07/nice-attack_live.html")
    ['bbc', 'news', '2016', '07', 'nice', 'attack', 'live']
    """
    return [word for word in _TOKEN.findall(url.lower()) if word not in _NOT_TELLING]
