"""Short URLs: followed politely, only as far as needed, and never twice."""

from __future__ import annotations

import pytest

from lycosa.engine.start.post_seeds import Expansion, expand_all
from lycosa.errors import InputError
from lycosa.seeds.posts.expansion import Expander, Hop
from lycosa.spec.sections import FetchSpec
from lycosa.testing import Page, Site, redirect, status
from lycosa.values import Reason, Refusal


def hop_through(web: dict[str, str | Refusal | None], asked: list[str]) -> Hop:
    async def hop(url: str) -> str | Refusal | None:
        asked.append(url)
        return web[url]

    return hop


async def test_only_shorteners_are_asked():
    """The page at the end is not fetched."""
    asked: list[str] = []
    web: dict[str, str | Refusal | None] = {
        "https://t.co/a": "http://bit.ly/b",
        "http://bit.ly/b": "http://a.example/page",
    }
    with Expander(hop_through(web, asked)) as expander:
        assert await expander.expand("https://t.co/a") == "http://a.example/page"
        assert await expander.expand("http://a.example/other") == "http://a.example/other"
    assert asked == list(web)


@pytest.mark.parametrize(
    ("web", "reason"),
    [
        ({"https://t.co/a": "https://t.co/a"}, Reason.REDIRECT_LOOP),
        ({"https://t.co/a": "ftp://a.example/"}, Reason.BAD_REDIRECT),
        ({"https://t.co/a": None}, Reason.BAD_REDIRECT),
        ({"https://t.co/a": Refusal(Reason.ROBOTS)}, Reason.ROBOTS),
        (
            {
                "https://t.co/a": "https://t.co/b",
                "https://t.co/b": "https://t.co/c",
                "https://t.co/c": "http://a.example/",
            },
            Reason.TOO_MANY_REDIRECTS,
        ),
    ],
)
async def test_what_leads_nowhere_has_a_reason(web, reason):
    """Loops, long chains, dead ends and refusals are told apart."""
    with Expander(hop_through(web, []), max_hops=2) as expander:
        end = await expander.expand("https://t.co/a")
    assert isinstance(end, Refusal)
    assert end.reason is reason


async def test_answers_are_kept_on_disk_and_passing_faults_are_not(tmp_path):
    """A second run asks again only for what may have changed."""
    web: dict[str, str | Refusal | None] = {
        "https://t.co/a": "http://a.example/",
        "https://t.co/b": Refusal(Reason.HTTP_ERROR, "404"),
        "https://t.co/c": Refusal(Reason.TIMEOUT),
    }
    asked: list[str] = []
    for _ in range(2):
        with Expander(hop_through(web, asked), tmp_path / "cache" / "short.db") as expander:
            ends = [await expander.expand(url) for url in web]
    assert ends[:2] == ["http://a.example/", Refusal(Reason.HTTP_ERROR, "404")]
    assert asked == [*web, "https://t.co/c"]


def test_an_unusable_cache_says_what_to_do(tmp_path):
    """The next step is in the message."""
    (tmp_path / "file").write_text("x" * 5000)
    with pytest.raises(InputError, match="--cache"):
        Expander(hop_through({}, []), tmp_path / "file")


async def test_the_fetcher_expands_through_real_servers(tmp_path):
    """Robots.txt is asked for and obeyed, errors are counted, the target is left alone."""
    pages: dict[str | tuple[str, str], Page] = {
        ("t.co", "/a"): redirect("http://bit.ly/b"),
        ("bit.ly", "/b"): redirect("http://news.test/flood"),
        ("t.co", "/gone"): status(404),
        ("ow.ly", "/robots.txt"): "User-agent: *\nDisallow: /",
    }
    with Site(pages) as site:
        there = f"127.0.0.1:{site.port}"
        hosts = ("t.co", "bit.ly", "ow.ly", "news.test")
        fetch = FetchSpec(
            connect_to=dict.fromkeys(hosts, there), allow_private=hosts, per_host_delay_s=0, retries=0
        )
        short = ["http://t.co/a", "http://t.co/gone", "http://ow.ly/x"]
        ends, failed = await expand_all(short, Expansion(fetch, tmp_path / "short.db"))
        asked = site.urls()
    assert ends == {"http://t.co/a": "http://news.test/flood"}
    assert failed == {Reason.HTTP_ERROR.value: 1, Reason.ROBOTS.value: 1}
    assert "http://t.co/robots.txt" in asked
    assert not any("news.test" in url or url == "http://ow.ly/x" for url in asked)
