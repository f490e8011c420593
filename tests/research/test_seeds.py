"""What the figures of seeds from many posts rest on."""

from __future__ import annotations

from research.seeds import measure, write_posts


def test_invented_posts_are_read_like_real_ones(tmp_path):
    """Two of three have a URL, some languages are left out, and the best sources give seeds."""
    path = tmp_path / "posts.jsonl"
    write_posts(path, 300)
    found, seconds, megabytes = measure(path)
    assert found.posts.posts == 300
    assert found.posts.with_urls == 200
    assert 0 < found.posts.in_language < 300
    assert found.seeds
    assert seconds > 0
    assert megabytes > 0
