"""Parsing of robots.txt: the lines that apply to this crawler, Content-Signal and Sitemap. Protego matches the patterns.

This follows RFC 9309, and Google's parser where the RFC is silent, in the stricter reading.
"""

from __future__ import annotations

import re

from lycosa import urls

TOKEN = "lycosa"  # noqa: S105 - the product token of RFC 9309, 2.2.1
MAX_LINE = 16_664
"""Longer lines are cut here, as in Google's parser."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_TAG = re.compile(r"<[^<>]{0,200}>")
_WITHOUT_COLON = re.compile(r"(user[- ]agent|crawl[- ]delay|\S+)\s+(.*)", re.IGNORECASE)
_PRODUCT = re.compile(r"[a-z_-]*", re.IGNORECASE)
_BETWEEN_AGENTS = re.compile(r"[\s,;]+")
_NO_TEXT = re.compile("[\udc80-\udcff]")
_LINE_END_TO_OTHERS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")

_AGENT = ("user-agent", "useragent", "user agent")
_DISALLOW = ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")
_CRAWL_DELAY = ("crawl-delay", "crawl delay", "crawldelay")


def text_of(raw: bytes) -> str:
    """Decode a robots.txt as UTF-8, or as UTF-16 if many bytes are NUL. Complete and broken byte order marks are skipped.

    >>> text_of(b"\\xef\\xbbDisallow: /caf\\xe9"), text_of("Allow: /".encode("utf-16"))
    ('Disallow: /caf%E9', 'Allow: /')
    """
    if raw.count(0) > len(raw) // 4:
        big = raw[:1] == b"\0" or raw[:2] == b"\xfe\xff"
        return raw.decode("utf-16-be" if big else "utf-16-le", "replace").lstrip("\ufeff")
    for byte in (0xEF, 0xBB, 0xBF):
        if raw[:1] == bytes([byte]):
            raw = raw[1:]
    return _NO_TEXT.sub(_escaped, raw.decode("utf-8", "surrogateescape"))


def rules_for_us(text: str) -> str:
    """Return a robots.txt with one group, the rules for this crawler: those under its name, else those under `*`.

    A group is one or more User-agent lines and the rules below. Only a rule (allow, disallow) ends its list of names;
    a Sitemap, a Crawl-delay or an unknown record does not (RFC 9309, 2.2.4). Groups of the same name are merged. The
    whole product token has to match, case-insensitively.

    >>> print(rules_for_us("User-agent: Lycosa/2\\nHost: x\\nUser-agent: mybot\\nDisallow: /x"))
    User-agent: *
    disallow: /x
    """
    ours: list[str] | None = None
    everyones: list[str] = []
    listening: list[list[str]] = []
    rules_began = True
    for line in _LINE_END.split(text):
        field, value = _record(line)
        if field == "user-agent":
            if rules_began:
                listening, rules_began = [], False
            if _is_everyone(value):
                listening.append(everyones)
            elif _names_us(value):
                ours = [] if ours is None else ours
                listening.append(ours)
        elif field:
            rules_began = rules_began or field != "crawl-delay"
            # An empty "Disallow:" allows everything, like no rule.
            if value and not (field == "allow" and len(line) > MAX_LINE):
                for group in listening:
                    group.append(f"{field}: {value}")
    return "\n".join(("User-agent: *", *(everyones if ours is None else ours)))


def _record(line: str) -> tuple[str, str]:
    """Return the field and value of a line; ('', '') if the field is unknown."""
    line = _TAG.sub("", line[:MAX_LINE].partition("#")[0]).strip()
    field, colon, value = line.partition(":")
    # Accept "disallow /a" and "disallow /a:b".
    if (not colon or "/" in field) and (spaced := _WITHOUT_COLON.fullmatch(line)):
        field, value = spaced.groups()
    field, value = field.strip().lower(), _LINE_END_TO_OTHERS.sub(_escaped, value.strip())
    if field.startswith(_DISALLOW):
        return "disallow", value
    if field == "allow":
        return "allow", value
    if field.startswith(_AGENT):
        return "user-agent", value
    return ("crawl-delay", value) if field in _CRAWL_DELAY else ("", "")


def _escaped(odd: re.Match[str]) -> str:
    """Percent-encode characters that are not text or end a line in other parsers."""
    return "".join(f"%{byte:02X}" for byte in odd[0].encode("utf-8", "surrogateescape"))


def _is_everyone(value: str) -> bool:
    return value.partition(" ")[0] == "*"


def _names_us(value: str) -> bool:
    # The RFC has one name per line; some files list several.
    products = (_PRODUCT.match(word) for word in _BETWEEN_AGENTS.split(value))
    return any(product and product[0].lower() == TOKEN for product in products)


SITEMAPS = 10
"""Maximum number read from one robots.txt."""


def content_signal(text: str) -> str:
    """Return the signal for this crawler, else the one for all; '' if there is none.

    >>> content_signal("User-agent: *\\nContent-Signal: search=yes, ai-train=no\\nDisallow: /x")
    'search=yes, ai-train=no'
    """
    agents = {"*"}  # of the current group: this crawler and `*`
    in_names = False
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        if name.lower() == "user-agent":
            agent = value.lower().partition("/")[0].strip()
            agents = (agents if in_names else set()) | ({agent} & {TOKEN, "*"})
        elif name.lower() == "content-signal":
            for agent in agents:
                found.setdefault(agent, value[:500])
        in_names = name.lower() == "user-agent" or (in_names and not name)
    return found.get(TOKEN) or found.get("*", "")


def sitemaps_in(text: str) -> tuple[str, ...]:
    """Return the sitemaps, for any crawler.

    >>> sitemaps_in("Sitemap: http://a.test/map.xml\\nDisallow: /x\\nsitemap: nonsense")
    ('http://a.test/map.xml',)
    """
    records = (line.partition(":") for line in text.splitlines())
    named = (
        urls.parse(value.partition(" #")[0].strip())
        for name, _, value in records
        if name.strip().lower() == "sitemap"
    )
    return tuple(dict.fromkeys(url for url in named if url and len(url) <= urls.URL_CHARS))[:SITEMAPS]
