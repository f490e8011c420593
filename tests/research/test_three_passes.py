"""What passes over a changing site saw, missed and saw late is counted right."""

from __future__ import annotations

from research.three_passes import Page, Told, _told, _Web, pages


def test_changes_are_seen_written_over_or_not_seen_yet():
    """Of several changes between two visits only the last is seen; what comes after the last visit is not."""
    page = Page("etag", "/1", (-5.0, 1.0, 3.0, 9.0))
    web = _Web([page])
    web.asked = [(0.0, page, True), (7.0, page, True)]

    assert _told([page], web, 3) == Told(
        requests=1, bodies=1, changes=3, overwritten=1, unseen=1, late_days=4.0
    )


def test_the_sites_are_alike_but_for_what_they_tell():
    found = pages()
    by_site: dict[str, list[object]] = {page.says: [] for page in found}
    for page in found:
        by_site[page.says].append((page.path, page.changes))

    first, *others = by_site.values()
    assert all(other == first for other in others)
    assert found[0].version(0.0) == sum(change <= 0 for change in found[0].changes)
