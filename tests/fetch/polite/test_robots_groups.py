"""What robots.txt files say to this crawler: facts of RFC 9309, of Google's parser and of crawler-commons, in tables of our own."""

from __future__ import annotations

import pytest

from lycosa.fetch.polite.robots import Rules, StoredRobots
from lycosa.fetch.polite.robots_file import MAX_LINE, text_of


def rules(text: str) -> Rules:
    return Rules(StoredRobots(text, 200, 0.0), 60.0)


def allows(text: str, path: str) -> bool:
    return rules(text).refusal(f"http://a.test{path}") is None


ALL = "Disallow: /\n"
US, OTHERS, EVERYONE = "User-agent: lycosa\n", "User-agent: mybot\n", "User-agent: *\n"

GROUPS = {
    # what stands between names: only a rule ends their list
    US + "Host: a.test\n" + OTHERS + ALL: {"/a": False},
    US + "Sitemap: http://a.test/s.xml\n" + OTHERS + ALL: {"/a": False},
    US + "Crawl-delay: 3\n" + OTHERS + ALL: {"/a": False},
    US + "Clean-param: ref\n\n\n" + OTHERS + ALL: {"/a": False},
    US + "Request-rate: 1/5\n" + OTHERS + ALL: {"/a": False},
    US + "nonsense\n" + OTHERS + ALL: {"/a": False},
    US + "non: sense\n" + OTHERS + ALL: {"/a": False},
    US + "# a comment\n" + OTHERS + ALL: {"/a": False},
    US + "\n\n" + OTHERS + ALL: {"/a": False},
    OTHERS + "Visit-time: 0600-0845\n" + US + ALL: {"/a": False},
    EVERYONE + "Unknown: x\n" + OTHERS + ALL: {"/a": False},
    US + "Disallow:\n" + OTHERS + ALL: {"/a": True},
    US + "Allow: /a\n" + OTHERS + ALL: {"/a": True, "/b": True},
    US + "Unknown: x\nDisallow: /a\nUnknown: y\nDisallow: /b": {"/a": False, "/b": False, "/c": True},
    # rules outside groups say nothing; groups of one name are one
    "Disallow: /a\n" + US + "Disallow: /b": {"/a": True, "/b": False},
    US + "Disallow: /a\n" + OTHERS + ALL + US + "Disallow: /b": {"/a": False, "/b": False, "/c": True},
    EVERYONE + "Disallow: /a\n" + OTHERS + ALL + EVERYONE + "Disallow: /b": {"/a": False, "/b": False, "/c": True},
    US + ALL + "Allow: /x/\n" + OTHERS + ALL + "Allow: /y/\n\n\nAllow: /w/\nUser-agent: third\n\n" + US + "Allow: /z/\n" + ALL: {
        "/x/b": True, "/z/d": True, "/y/c": False, "/w/a": False,
    },
    OTHERS + ALL + "\n\nAllow: /w/\n" + US + "Disallow: /q": {"/w/": True, "/q": False},
    # our name counts before everyone's, wherever it stands
    EVERYONE + "Disallow: /x/\n" + US + "Disallow: /y/": {"/x/p": True, "/y/p": False},
    US + "Disallow: /y/\n" + EVERYONE + "Disallow: /x/": {"/x/p": True, "/y/p": False},
    EVERYONE + ALL + US: {"/a": True},
    EVERYONE + ALL + US + "Crawl-delay: 1": {"/a": True},
    EVERYONE + "Allow: /\n" + US + ALL: {"/a": False},
    OTHERS + ALL: {"/a": True},
    "": {"/a": True},
    "Lycosa: x\nbar: /": {"/a": True},
    # names
    "User-agent: LYCOSA\n" + ALL: {"/a": False},
    "User-agent: Lycosa/2.1\n" + ALL: {"/a": False},
    "User-agent: lycosa*\n" + ALL: {"/a": False},
    "User-agent: lycosa images\n" + ALL: {"/a": False},
    "User-agent: lycosa-images\n" + ALL: {"/a": True},
    "User-agent: lyc\n" + ALL: {"/a": True},
    "User-agent: mylycosa\n" + ALL: {"/a": True},
    "User-agent: ly cosa\n" + ALL: {"/a": True},
    "User-agent: mybot lycosa\n" + ALL: {"/a": False},
    "User-agent: mybot, Lycosa/3\n" + ALL: {"/a": False},
    "User-agent: mybot,lycosa # both\n" + ALL: {"/a": False},
    "User-agent:\n" + ALL: {"/a": True},
    "User-agent: * \n" + ALL: {"/a": False},
    "User-agent: * # all\n" + ALL: {"/a": False},
    "User-agent: * and more\n" + ALL: {"/a": False},
    "User-agent: *bot\n" + ALL: {"/a": True},
    # how fields may be written
    "USER-AGENT: lycosa\nALLOW: /x/\nDISALLOW: /": {"/x/y": True, "/a/b": False},
    "uSeR-aGeNt: lycosa\nAlLoW: /x/\ndIsAlLoW: /": {"/x/y": True, "/a/b": False},
    "user-agent lycosa\ndisallow /": {"/a": False},
    "useragent: lycosa\ndisallow: /": {"/a": False},
    "user agent: lycosa\ndisallow: /": {"/a": False},
    "user agent lycosa\ndisallow: /": {"/a": False},
    "  user-agent :lycosa\n\tdisallow\t:\t/": {"/a": False},
    US + "dissallow: /": {"/a": False},
    US + "dissalow: /": {"/a": False},
    US + "disalow: /": {"/a": False},
    US + "diasllow: /": {"/a": False},
    US + "disallaw: /": {"/a": False},
    US + "disallowed: /": {"/a": False},
    US + "disallow /a:b": {"/a:b": False, "/a": True},
    US + ALL + "allowed: /": {"/a": False},
    US + "# Disallow: /\nDisallow: /q#ux\nAllow: /": {"/b": True, "/q": False},
    "#user-agent: lycosa\n#disallow: /": {"/a": True},
    # line ends; a byte order mark; no text at all
    "User-agent: *\rDisallow: /a\rDisallow: /b": {"/a": False, "/b": False, "/c": True},
    "User-agent: *\r\nDisallow: /a\r\n\r\nDisallow: /b": {"/a": False, "/b": False},
    "User-agent: *\nDisallow: \x85\nDisallow: /a": {"/": True, "/a": False},
    "User-agent: *\nDisallow: /\u2028/a": {"/b": True},
    "<!DOCTYPE html><html><title>Under maintenance</title></html>": {"/a": True},
    "<HTML><BODY>\nUser-agent: *<BR>\nDisallow: /a<BR>\n</BODY>": {"/a": False, "/b": True},
    "User-agent: lycosa<br>\nDisallow: <br>\nUser-agent: *<br>\nDisallow: /<br>": {"/a": True},
}  # fmt: skip

PATTERNS = {
    "Disallow: /\nAllow: /fish": {
        "/bar": False, "/fish": True, "/fish.html": True, "/fish/salmon.html": True, "/fishheads": True,
        "/fishheads/yummy.html": True, "/fish.html?id=anything": True, "/Fish.asp": False, "/catfish": False, "/?id=fish": False,
    },
    "Disallow: /fish*": {
        "/fish": False, "/fish.html": False, "/fish/salmon.html": False, "/fishheads/yummy.html": False,
        "/Fish.asp": True, "/catfish": True, "/?id=fish": True, "/fis": True,
    },
    "Disallow: /fish/": {
        "/fish/": False, "/fish/?id=anything": False, "/fish/salmon.htm": False, "/fish": True, "/fish.html": True,
        "/Fish/Salmon.asp": True,
    },
    "Disallow: /*.php": {
        "/filename.php": False, "/folder/filename.php": False, "/folder/filename.php?parameters": False,
        "//folder/any.php.file.html": False, "/filename.php/": False, "/index?f=filename.php/": False,
        "/php/": True, "/index?php": True, "/windows.PHP": True, "/": True,
    },
    "Disallow: /*.php$": {
        "/filename.php": False, "/folder/filename.php": False, "/filename.php?parameters": True, "/filename.php/": True,
        "/filename.php5": True, "/aaaphpaaa": True, "//windows.PHP": True,
    },
    "Disallow: /fish*.php": {"/fish.php": False, "/fishheads/catfish.php?parameters": False, "/Fish.PHP": True},
    "Disallow: /*fish*.php": {"/fish.php": False, "/superfishheads/catfish.php?q": False, "/fishheads/catfish.htm": True},
    "Disallow: /index.cfm?fuseaction=results*": {"/index.cfm?fuseaction=results&pg=2": False, "/index.cfm?pg=2": True},
    # the longest rule wins; of equals, the one that allows
    "Disallow: /x/page.html\nAllow: /x/": {"/x/page.html": False, "/x/": True},
    "Allow: /x/page.html\nDisallow: /x/": {"/x/page.html": True, "/x/": False},
    "Disallow: \nAllow: ": {"/x": True},
    "Disallow: /\nAllow: /": {"/x": True},
    "Disallow: /x\nAllow: /x/": {"/x": False, "/x/": True},
    "Allow: /page\nDisallow: /*.html": {"/page.html": False, "/page": True},
    "Allow: /x/page.\nDisallow: /*.html": {"/x/page.html": True, "/x/y.html": False},
    "Allow: /p\nDisallow: /": {"/page": True, "/q": False},
    "Allow: /folder\nDisallow: /folder": {"/folder/page": True},
    "Allow: /page\nDisallow: /*.htm": {"/page.htm": False},
    "Allow: /$\nDisallow: /": {"/": True, "/page.html": False},
    "Disallow: /foo/bar$\nAllow: /foo/bar/qux": {"/foo/bar": False, "/foo/bar/qux": True, "/foo/bar/": True},
    "Disallow: /foo/bar/quz\nAllow: /foo/*/qux": {"/foo/bar/quz": False, "/foo/quz": True, "/foo//quz": True},
    "Disallow: /org/plans.html\nAllow: /org/\nAllow: /serv\nAllow: /~mak\nDisallow: /": {
        "/": False, "/index.html": False, "/robots.txt": True, "/server.html": True, "/services/fast.html": True, "/orgo.gif": False,
        "/org/about.html": True, "/org/plans.html": False, "/%7Ejim/jim.html": False, "/%7Emak/mak.html": True,
    },
    "Disallow: /X/": {"/x/y": True, "/X/y": False},
    "Allow: /AnyPage.html\nDisallow: /": {"/AnyPage.html": True, "/anypage.html": False},
    "Disallow: /": {"/robots.txt": True, "/a/robots.txt": False, "/": False},
    "Disallow: a": {"/a": True},
    "Disallow: *.pdf": {"/x.pdf": False, "/x": True},
    # how characters are written does not matter
    "Disallow: /\nAllow: /foo?q=t&b=http://foo.bar?tar&par": {"/foo?q=t&b=http://foo.bar?tar&par": True},
    "Disallow: /bar/ツ": {"/bar/%E3%83%84": False},
    "Disallow: /bar/%E3%83%84": {"/bar/%e3%83%84": False},
    "Disallow: /bar/%62%61%7A": {"/bar/baz": False, "/bar/%62%61%7A": False},
    "Disallow: /bar/baz": {"/bar/%62%61%7A": False},
    "Disallow: /a%2Fb": {"/a%2fb": False, "/a/b": True},
}  # fmt: skip


def each(table: dict[str, dict[str, bool]]) -> list[tuple[str, str, bool]]:
    return [(text, path, allowed) for text, paths in table.items() for path, allowed in paths.items()]


@pytest.mark.parametrize(("text", "path", "allowed"), each(GROUPS))
def test_groups(text, path, allowed):
    """Which lines speak to us."""
    assert allows(text, path) == allowed


@pytest.mark.parametrize("group", [US, EVERYONE])
@pytest.mark.parametrize(("text", "path", "allowed"), each(PATTERNS))
def test_patterns(text, path, allowed, group):
    """Which paths a rule means."""
    assert allows(group + text, path) == allowed


@pytest.mark.parametrize(
    ("text", "delay_s"),
    [
        (US + "Crawl-delay: 3", 3),
        (US + "Crawl-delay: 3\n" + EVERYONE + "Crawl-delay: 9\nDisallow: /x", 9),
        (EVERYONE + "Disallow: /x\nCrawl-delay: 9\n" + US + "Disallow: /y", 0),
        (EVERYONE + "Crawl-delay: 2.5<br>", 2.5),
        (OTHERS + "Crawl-delay: 20\n", 0),
        (EVERYONE + "crawl delay 7", 7),
        (EVERYONE + "Crawl-delay: soon", 0),
    ],
)
def test_delays(text, delay_s):
    """A Crawl-delay is for the names above it."""
    assert rules(text).crawl_delay_s == delay_s


FILE = "User-agent: *\nDisallow: /café\n"


@pytest.mark.parametrize(
    "raw",
    [
        FILE.encode(),
        b"\xef\xbb\xbf" + FILE.encode(),
        b"\xef\xbb" + FILE.encode(),
        b"\xef" + FILE.encode(),
        FILE.encode("utf-16"),
        FILE.encode("utf-16-le"),
        FILE.encode("utf-16-be"),
        b"\xfe\xff" + FILE.encode("utf-16-be"),
    ],
)
def test_encodings(raw):
    """UTF-8 with a mark, half a mark or none; UTF-16 either way round."""
    assert not allows(text_of(raw), "/caf%C3%A9")
    assert allows(text_of(raw), "/cafe")


def test_bytes_of_another_encoding_are_bytes():
    """A rule in Latin-1 means the URL that has the same bytes."""
    assert not allows(text_of(FILE.encode("latin-1")), "/caf%E9")


def test_long_lines_are_cut():
    """A rule that is cut forbids no less, and allows no more."""
    long = "/x/" + "a" * MAX_LINE
    assert not allows(US + f"Disallow: {long}/end", long)
    assert not allows(US + f"Disallow: /x\nAllow: {long}/end", long)
    assert allows(US + f"Disallow: {long}/end", "/y")
