"""Gathering seeds from everything that a spec may name."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from lycosa import seeds
from lycosa.errors import InputError
from lycosa.spec.sections import SeedsSpec
from lycosa.values import Reason, Refusal


class FakeWeb:
    """Lists by URL; remembers what was read."""

    def __init__(self, lists: dict[str, bytes]) -> None:
        self.lists = lists
        self.asked: list[str] = []

    async def read(self, url: str) -> bytes | Refusal:
        self.asked.append(url)
        return self.lists.get(url, Refusal(Reason.HTTP_ERROR, "404"))


async def gathered(folder: Path, web: FakeWeb | None = None, **spec: Any) -> tuple[list[str], list[str]]:
    words: list[str] = []
    web = web or FakeWeb({})
    links = await seeds.gather(SeedsSpec(**spec), folder, web.read, words.append)
    return [link.url for link in links], words


def sitemap(*urls: str, index: bool = False) -> bytes:
    name = "sitemapindex" if index else "urlset"
    return f"<{name}>{''.join(f'<x><loc>{url}</loc></x>' for url in urls)}</{name}>".encode()


async def test_all_kinds_in_order_each_once(tmp_path):
    """URLs, files, feeds, sitemaps; two spellings of one page are one seed, as first found."""
    (tmp_path / "list.txt").write_text("http://a.example/2 # two\nhttp://a.example/index.html\n")
    (tmp_path / "map.xml.gz").write_bytes(gzip.compress(sitemap("http://a.example/4")))
    web = FakeWeb({"http://a.example/feed": b"<item><link>http://a.example/3</link></item>"})
    urls, words = await gathered(
        tmp_path,
        web,
        urls=["http://a.example/"],
        files=["list.txt"],
        feeds=["http://a.example/feed"],
        sitemaps=["map.xml.gz"],
    )
    assert urls == [f"http://a.example/{n}" for n in ("", "2", "3", "4")]
    assert words == []


async def test_a_looping_index_is_read_once(tmp_path):
    """Indexes that name each other and themselves end, and no server is asked twice for the same."""
    one, two = "http://a.example/1.xml", "http://a.example/2.xml"
    web = FakeWeb(
        {one: sitemap(one, two, two, index=True), two: sitemap(one, "http://a.example/3.xml", index=True)}
    )
    web.lists["http://a.example/3.xml"] = sitemap("http://a.example/page")
    urls, _ = await gathered(tmp_path, web, sitemaps=[one])
    assert urls == ["http://a.example/page"]
    assert web.asked == [one, two, "http://a.example/3.xml"]


async def test_an_endless_index_ends(tmp_path, monkeypatch):
    """Only a limited number of sitemaps of one index is read."""
    monkeypatch.setattr(seeds, "MAX_SITEMAPS", 5)

    class Endless(FakeWeb):
        async def read(self, url: str) -> bytes | Refusal:
            self.asked.append(url)
            return sitemap(*(f"{url}{n}" for n in range(3)), index=True)

    web = Endless({})
    with pytest.raises(InputError, match="no seeds"):
        await gathered(tmp_path, web, sitemaps=["http://a.example/"])
    assert len(web.asked) == 5


async def test_an_index_whose_host_is_gone_is_left(tmp_path):
    """Each of its sitemaps would be waited for as long as the host rests; how far it is, is said meanwhile."""
    names = [f"http://a.example/{n}.xml" for n in range(40)]
    web = FakeWeb({"http://a.example/": sitemap(*names, index=True)})
    web.lists |= {name: sitemap(f"{name}/page") for name in names[:12]}
    urls, words = await gathered(tmp_path, web, sitemaps=["http://a.example/"])
    assert len(urls) == 12
    assert web.asked[-1] == names[14]
    assert "10 sitemaps of http://a.example/ are read, 31 are left …" in words
    assert words[-1] == "25 more sitemaps of http://a.example/ are skipped: the last 3 could not be read."


async def test_an_index_from_the_web_reads_no_files(tmp_path):
    """A stranger's sitemap index must not make us read (or miss) files of this machine."""
    (tmp_path / "secret.txt").write_text("http://secret.example/")
    index = sitemap("secret.txt", str(tmp_path / "secret.txt"), "file:///etc/passwd", "missing", index=True)
    urls, _ = await gathered(
        tmp_path,
        FakeWeb({"http://a.example/s": index}),
        urls=["http://a.example/"],
        sitemaps=["http://a.example/s"],
    )
    assert urls == ["http://a.example/"]


async def test_lists_are_cut_at_max_per_list(tmp_path):
    """Each list gives at most `max_per_list` URLs."""
    many = [f"http://a.example/{n}" for n in range(50)]
    (tmp_path / "list.txt").write_text("\n".join(many))
    web = FakeWeb({"http://b.example/": sitemap(*(url.replace("a.", "b.") for url in many))})
    urls, _ = await gathered(
        tmp_path, web, files=["list.txt"], sitemaps=["http://b.example/"], max_per_list=3
    )
    assert len(urls) == 6


async def test_what_cannot_be_read_is_told(tmp_path):
    """A list on the Web that fails is a word and the crawl goes on; a missing file is an error."""
    urls, words = await gathered(tmp_path, urls=["http://a.example/"], feeds=["http://a.example/gone"])
    assert urls == ["http://a.example/"]
    assert "http://a.example/gone could not be read" in words[0]
    with pytest.raises(InputError, match=r"none.txt.*relative to the spec"):
        await gathered(tmp_path, files=["none.txt"])
    with pytest.raises(InputError):
        await gathered(tmp_path, files=["."])


async def test_bad_seeds_are_named_but_not_endlessly(tmp_path):
    """The first few are named, the others counted; without any seed left it is an error."""
    (tmp_path / "list.txt").write_text("\n".join(f"nonsense{n}" for n in range(1000)))
    urls, words = await gathered(tmp_path, urls=["http://a.example/"], files=["list.txt"])
    assert urls == ["http://a.example/"]
    assert len(words) == seeds.MAX_COMPLAINTS + 1
    assert "995 more" in words[-1]
    with pytest.raises(InputError, match="no seeds"):
        await gathered(tmp_path, files=["list.txt"])
    with pytest.raises(InputError, match="no seeds"):
        await gathered(tmp_path)
