"""Invented posts, one of each kind, as their platforms write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LONG = "https://www.harbour-news.example/2016/03/flood-at-millbridge?utm_source=post"
CUT = "Water over the bri… https://t.co/zz…"

V1: dict[str, Any] = {
    "created_at": "Tue Mar 22 09:15:00 +0000 2016",
    "id": 712000000000000001,
    "id_str": "712000000000000001",
    "text": "Flood at Millbridge https://t.co/abc123",
    "lang": "en",
    "user": {"screen_name": "nobody", "entities": {"url": {"urls": []}}},
    "entities": {"hashtags": [], "urls": [{"url": "https://t.co/abc123", "expanded_url": LONG}]},
}
V1_RETWEET = {
    "created_at": "Wed Mar 23 09:15:00 +0000 2016",
    "id_str": "712000000000000002",
    "text": CUT,
    "lang": "en",
    "entities": {"urls": []},
    "retweeted_status": V1,
}
V1_EXTENDED = {
    "created_at": "Wed Mar 23 10:00:00 +0000 2016",
    "id_str": "712000000000000003",
    "text": CUT,
    "lang": "und",
    "truncated": True,
    "entities": {
        "urls": [{"url": "https://t.co/self", "expanded_url": "https://twitter.com/i/web/status/3"}]
    },
    "extended_tweet": {"full_text": "Water over the bridge.", "entities": V1["entities"]},
}
V2 = {
    "id": "712000000000000004",
    "text": "Flood at Millbridge https://t.co/abc123",
    "created_at": "2016-03-22T09:15:00.000Z",
    "lang": "en",
    "author_id": "7",
    "entities": {
        "urls": [
            {
                "url": "https://t.co/abc123",
                "expanded_url": "https://bit.ly/2x",
                "unwound_url": LONG,
            }
        ]
    },
}
V2_PAGE = {
    "data": [
        {
            "id": "5",
            "text": CUT,
            "created_at": "2016-03-24T00:00:00Z",
            "lang": "en",
            "referenced_tweets": [{"type": "retweeted", "id": "712000000000000004"}],
        },
        V2,
    ],
    "includes": {"tweets": [V2], "users": [{"id": "7"}]},
    "meta": {"result_count": 2},
}
MASTODON = {
    "id": "110000000000000001",
    "created_at": "2023-05-02T18:00:00.000Z",
    "language": "en",
    "visibility": "public",
    "content": (
        '<p><span class="h-card"><a href="https://social.example/@ann" class="u-url mention">@ann</a></span> '
        'Flood &amp; storm<br>in Millbridge <a href="https://harbour-news.example/flood?a=1&amp;b=2" '
        'rel="nofollow noopener">harbour-news.example/…</a> <a href="https://social.example/tags/flood" '
        'class="mention hashtag" rel="tag">#flood</a></p>'
    ),
    "account": {"acct": "bob"},
    "reblog": None,
    "card": {"url": "https://harbour-news.example/flood?a=1&b=2"},
}
OUTBOX = {
    "type": "OrderedCollection",
    "orderedItems": [
        {"type": "Announce", "object": "https://social.example/1"},
        {
            "type": "Create",
            "object": {
                "id": "https://social.example/2",
                "published": "2023-05-02T18:00:00Z",
                "content": '<p><a href="https://a.example/flood">a</a></p>',
                "contentMap": {"en": "…"},
            },
        },
    ],
}
RECORD = {
    "$type": "app.bsky.feed.post",
    "text": "The flood, explained: harbour-news.example/flood",
    "createdAt": "2024-02-03T04:05:06.789Z",
    "langs": ["en-GB"],
    "facets": [
        {
            "index": {"byteStart": 22, "byteEnd": 48},
            "features": [
                {"$type": "app.bsky.richtext.facet#link", "uri": "https://harbour-news.example/flood"}
            ],
        },
        {"index": {}, "features": [{"$type": "app.bsky.richtext.facet#tag", "tag": "flood"}]},
    ],
    "embed": {
        "$type": "app.bsky.embed.recordWithMedia",
        "media": {"external": {"uri": "https://river.example/levels", "title": "Levels"}},
    },
}
VIEW = {"uri": "at://did:plc:abc/app.bsky.feed.post/3k", "cid": "bafy", "record": RECORD, "indexedAt": "x"}
FIREHOSE = {
    "did": "did:plc:abc",
    "kind": "commit",
    "commit": {"operation": "create", "collection": "app.bsky.feed.post", "rkey": "3k", "record": RECORD},
}


def write_lines(path: Path, *values: Any) -> Path:
    """Values as JSON, one a line; a string as it is."""
    lines = (value if isinstance(value, str) else json.dumps(value) for value in values)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path
