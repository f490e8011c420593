"""The health line at the end of a crawl: how sure, what is near the threshold, what to look at, what helps most."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.engine.health import TITLES, health_of
from lycosa.engine.questions import Interview
from lycosa.testing import Site
from tests.crawling import KEYWORDS, crawl, small_web, spec_text

TOPIC: dict[str, Any] = {
    "top": {"strategy": "best-first"},
    "topic": {"keywords": list(KEYWORDS)},
    "judge": {"kind": "topic"},
    "limits": {"pages": 60},
}


def test_a_crawl_says_how_sure_it_is(tmp_path):
    """In the terminal, after the summary; in JSON there are figures instead."""
    with Site(small_web(4, 40)) as site:
        (tmp_path / "crawl.toml").write_text(spec_text(site, ["http://h0.test/"], **TOPIC))
        done = CliRunner().invoke(app, ["crawl", str(tmp_path), "--quiet"], catch_exceptions=False)
        assert done.exit_code == 0
        told = done.stdout
        assert "Health: harvest about 0." in told
        assert "no answers yet" in told
        assert " % of the pages lie near the threshold." in told
        assert len(told.partition("Look at:\n")[2].partition("What would")[0].splitlines()) == TITLES
        assert f"What would help most: lycosa label {tmp_path / 'crawl'}" in told
        plain = CliRunner().invoke(app, ["crawl", str(tmp_path), "--json"], catch_exceptions=False).stdout
    assert "Health" not in plain
    assert '"harvest_low"' in plain


def test_answers_are_counted(tmp_path):
    with Site(small_web(4, 40)) as site:
        summary = crawl(spec_text(site, ["http://h0.test/"], **TOPIC), tmp_path / "c")
    Interview(tmp_path / "c", 1).take("y")
    health = health_of(summary)
    assert health
    assert health.answers == 1
    assert 0 < health.near < 1


def test_what_was_not_judged_has_no_health(tmp_path):
    with Site(small_web(1, 5)) as site:
        assert health_of(crawl(spec_text(site, ["http://h0.test/"]), tmp_path / "c")) is None
