"""The demo web that is shipped with Lycosa is the one that the lab generates."""

from __future__ import annotations

from lycosa.demo.web import demo_web as shipped_web
from lycosa_lab.demo_web import demo_web


def test_the_shipped_demo_web_is_up_to_date():
    """Renew it: python -c "from lycosa_lab.demo_web import demo_web; demo_web().write('src/lycosa/demo/archive')"."""
    made, shipped = demo_web(), shipped_web()

    assert {url: page.plain for url, page in made.pages.items()} == {
        url: page.plain for url, page in shipped.pages.items()
    }
    assert {*made.labels} == {*shipped.labels}
    assert [*made.page_types] == shipped.page_types
    assert made.topics == shipped.topics
