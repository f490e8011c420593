"""URLs: the identity is stable and total; the URL that is requested stays as found."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from unittest.mock import Mock

import pytest
import tldextract
from hypothesis import example, given
from hypothesis import strategies as st

from lycosa import urls

EXTRACT = tldextract.TLDExtract(suffix_list_urls=(), include_psl_private_domains=True, cache_dir=None)
PIECES = st.sampled_from(
    "http:// https:// HTTP:// //a.example a.example :80 :443 / // ? # & = . .. %7E %7e ~ %2e %2E%2E %41 %zz % "
    "index.html Default.ASP utm_source=x fbclid=1 é [::1] @ \\ \x00 \ud800 space tab\t 127.0.0.1".split(" ")
)
URLS = st.text() | st.lists(PIECES, max_size=12).map("".join) | st.binary().map(lambda b: b.decode("latin-1"))


@given(URLS)
@example("http://a.example/index.html/index.html")
@example("http://a.example/%2e%2e/a/%2E/b")
@example("http://a.example/?&&utm_id=1&")
@example("http://a.example//?//")
def test_the_identity_is_idempotent(text):
    """The identity of an identity is itself, and it is a URL that can be parsed."""
    url = urls.parse(text)
    if url is None:
        return
    same = urls.identity(url)
    assert urls.identity(same) == same
    assert urls.parse(same) is not None
    assert urls.key_of(same) == urls.key_of(url) != 0


@given(URLS, URLS)
def test_nothing_that_is_called_a_url_raises(base, reference):
    """Parsing, joining, tokens and identity take any text."""
    for text in (base, reference):
        parsed = urls.parse(text)
        assert parsed is None or parsed.startswith(("http://", "https://"))
        assert parsed is None or "#" not in parsed
        urls.tokens(text)
        urls.identity(text)
    if (url := urls.parse(base)) is not None:
        joined = urls.join(url, reference)
        assert joined is None or joined == urls.parse(joined)
    urls.join(base, reference)


_WRITTEN = st.builds(
    "{}{}".format,
    st.sampled_from(
        "http://a.test/ https://b-c.0.example/x/ http:// / // ? # ../ ./ http: HTTP://A.test/ http://a.test:80/ http://1.2.3.4/ "
        "http://xn--a.test/ http://a..test/ http://ab--c.test/ http://a.test javascript: mailto:".split()
    )
    | st.just(""),
    st.text(alphabet="ab09.-_~!/?=&;:@#%\\' ", max_size=12),
)


@given(
    st.sampled_from(
        ("http://a.test/", "http://a.test", "https://www.b.example/c/d.html?e=/f", "http://a.test//b//c")
    ),
    _WRITTEN,
)
def test_what_is_not_parsed_is_as_if_it_were(base, reference):
    """Most URLs need no parser: what is made of them is what it would make."""
    joined, parsed = urls.join(base, reference), urls.parse(reference)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(urls, "is_as_sent", lambda _: False)
        assert (urls.join(base, reference), urls.parse(reference)) == (joined, parsed)


@given(URLS)
def test_a_url_has_an_authority_a_host_and_a_source(text):
    """Of every parsed URL all three are known, and the source belongs to the host."""
    if (url := urls.parse(text)) is not None:
        assert url.startswith(urls.authority_of(url))
        host = urls.host_of(url)
        assert host
        source = urls.source_of(urls.authority_of(url))
        assert source
        assert source.strip("[]") in host


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HTTP://WWW.Example.ORG/a", "http://www.example.org/a"),
        ("http://a.example/%7Ebob", "http://a.example/~bob"),
        ("http://a.example/%7ebob", "http://a.example/%7Ebob"),
        ("http://a.example/caf%c3%a9", "http://a.example/caf%C3%A9"),
        ("http://a.example/café", "http://a.example/caf%C3%A9"),
        ("http://a.example:80/a", "http://a.example/a"),
        ("https://a.example:443/a", "https://a.example/a"),
        ("http://a.example/b/index.html", "http://a.example/b/"),
        ("http://a.example/b/INDEX.HTM", "http://a.example/b"),
        ("http://a.example/default.asp", "http://a.example/"),
        ("http://a.example", "http://a.example/"),
        ("http://a.example/b?", "http://a.example/b"),
        ("http://a.example/b#part", "http://a.example/b"),
        ("http://a.example//b///c", "http://a.example/b/c"),
        ("http://a.example/b/", "http://a.example/b"),
        ("http://a.example/b/../c/./d", "http://a.example/c/d"),
        ("http://a.example/b?utm_source=x&id=1&fbclid=y", "http://a.example/b?id=1"),
        ("http://a.example/index.html?utm_medium=mail", "http://a.example/"),
        ("http://a.example/b?mtm_campaign=x&_gl=1*2&id=1&WT.mc_id=z", "http://a.example/b?id=1"),
        ("http://a.example/b?pk_kwd=x&ref_src=twsrc&hsa_acc=1", "http://a.example/b"),
    ],
)
def test_variants_are_one_identity(one, other):
    """What METHODS 4.5 calls the same page has one key, in both directions."""
    first, second = urls.parse(one), urls.parse(other)
    assert first is not None
    assert second is not None
    assert urls.identity(first) == urls.identity(second)
    assert urls.key_of(first) == urls.key_of(second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.example/b", "https://a.example/b"),
        ("http://a.example/b", "http://a.example/B"),
        ("http://a.example/b?x=1&y=2", "http://a.example/b?y=2&x=1"),
        ("http://a.example/a%2Fb", "http://a.example/a/b"),
        ("http://a.example/my-index.html", "http://a.example/"),
        ("http://a.example/%%34%31", "http://a.example/A"),
        ("http://a.example/%%34%31", "http://a.example/%41"),
        ("http://a.example/%2%35", "http://a.example/%25"),
        ("http://a.example/b?ref=1", "http://a.example/b"),
        ("http://a.example/b?pk=1", "http://a.example/b"),
        ("http://a.example:8080/", "http://a.example/"),
        ("http://www.a.example/", "http://a.example/"),
    ],
)
def test_different_pages_stay_different(one, other):
    """Nothing beyond the named rules is folded together."""
    assert urls.identity(one) != urls.identity(other)


def test_tracking_parameters_can_be_told_apart():
    """A site may mean them; nothing else changes."""
    url, plain = "http://a.example/b/?utm_source=x&id=1", "http://a.example/b?id=1"
    assert urls.identity(url) == plain
    assert urls.identity(url, urls.Folding(tracking=False)) == "http://a.example/b?utm_source=x&id=1"


def test_the_url_that_is_requested_stays_as_found():
    """Parsing keeps index names, tracking parameters, double slashes and escapes."""
    found = "http://a.example//b/index.html?utm_source=x&a=%7e"
    assert urls.parse(found) == found
    assert urls.join("http://a.example/", "//a.example//b/index.html?utm_source=x&a=%7e") == found


def test_a_web_may_name_more_index_files():
    """`index_names` of a virtual web decides what means its directory."""
    folding = urls.Folding(urls.INDEX_NAMES | {"welcome.html"})
    assert urls.identity("http://a.example/b/Welcome.html", folding) == "http://a.example/b"
    assert urls.identity("http://a.example/b/Welcome.html") != "http://a.example/b"


def test_a_key_is_never_zero_and_fits_sqlite(monkeypatch):
    """0 means "no parent", so a hash of 0 is replaced by a different number."""
    assert urls.hash_of("x") == urls.hash_of("x")
    assert -(1 << 63) <= urls.hash_of("x") < 1 << 63
    monkeypatch.setattr("xxhash.xxh3_64_intdigest", lambda data: 1 << 63)
    assert urls.hash_of("whatever") == 1


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("http://news.bbc.co.uk/a", "bbc.co.uk"),
        ("http://someone.github.io/", "someone.github.io"),
        ("http://127.0.0.1:8080/", "127.0.0.1"),
        ("http://[::1]:80/", "[::1]"),
        ("http://localhost/", "localhost"),
        ("http://a.b.demo.test/", "demo.test"),
        ("http://co.uk/", "co.uk"),
    ],
)
def test_the_source_is_the_registrable_domain(url, source):
    """Owners of names below shared suffixes, addresses and local names are sources of their own."""
    assert urls.source_of(urls.authority_of(url)) == source


@given(
    st.integers(0, 10**6),
    st.lists(st.sampled_from(["a", "www", "co", "com", "xn--p1ai", "b-c", "1"]), max_size=3),
)
def test_the_source_is_what_tldextract_says(number, labels):
    """Its own code is the measure for every rule of the list, with any labels before."""
    rules = sorted(urls.suffix_rules())
    rule = rules[number % len(rules)].replace("*", "wild").removeprefix("!")
    parsed = urls.parse(f"http://{'.'.join([*labels, rule])}/")
    assert parsed is not None
    found = EXTRACT(host := urls.host_of(parsed))
    assert urls.source_of(urls.authority_of(parsed)) == (found.top_domain_under_public_suffix or host)


def test_a_list_of_suffixes_that_is_kept_elsewhere_is_asked_for(monkeypatch):
    """A later tldextract may keep it in another file: a crawl begins all the same, with the same rules."""
    known = urls.suffix_rules()
    missing = ModuleSpec("tldextract", None, origin="/nowhere/tldextract/__init__.py")
    monkeypatch.setattr(urls, "find_spec", lambda name: missing)
    assert urls.suffix_rules.__wrapped__() == known


def test_tokens_are_the_telling_words():
    """Scheme, www, com and file endings say nothing; numbers and other scripts do."""
    assert urls.tokens("https://www.example.com/Owls/2016_report.html?q=Käuze") == [
        "example", "owls", "2016", "report", "q", "käuze",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://u1:secret@a.test/x@y", "http://a.test/x@y"),
        ("http://a.test./b.", "http://a.test/b."),
        ("http://a.test.:8080/", "http://a.test:8080/"),
        ("http://me@[::1]:81/", "http://[::1]:81/"),
        ("http://../", None),
    ],
)
def test_one_host_cannot_look_like_many(url, plain):
    """User, password and the root's dot are dropped: politeness and limits count hosts."""
    assert urls.parse(url) == urls.join("http://b.test/", url) == plain


@pytest.mark.parametrize(
    "path",
    ["/index.html" * 5_000, "/" + "%" * 5_000 + "33" * 5_000, "/a/.%2e" * 5_000, "/?" + "utm_a=1&" * 5_000],
)
def test_a_made_up_url_costs_few_rounds(path, monkeypatch):
    """However much one simplification bares the next, their number is bounded and the result stays put."""
    made_up = urls.parse("http://a.example" + path) or ""
    parse = Mock(side_effect=urls.parse)
    monkeypatch.setattr(urls, "parse", parse)
    same = urls.identity(made_up)
    assert parse.call_count <= urls.ROUNDS
    assert urls.identity(same) == same


@given(st.lists(st.sampled_from(["/index.html", "/", "%", "%33", "33", "%2e", "..", "?", "&utm_a", "x"])))
def test_made_up_urls_have_stable_identities(pieces):
    """Idempotent also where there is much to simplify."""
    same = urls.identity(urls.parse("http://a.example/" + "".join(pieces)) or "")
    assert urls.identity(same) == same
