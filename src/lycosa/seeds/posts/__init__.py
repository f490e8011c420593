"""Seeds from posts of social media and from exported search results. In: files. Out: URLs and statistics."""

from __future__ import annotations

from lycosa.seeds.posts.expansion import Expander, is_short
from lycosa.seeds.posts.forms import Form
from lycosa.seeds.posts.keywords import Keywords
from lycosa.seeds.posts.look import Look, SeedKind, look, seed_kind
from lycosa.seeds.posts.post import Mention, Post
from lycosa.seeds.posts.reading import PostFile
from lycosa.seeds.posts.selection import (
    PostCounts,
    PostFilter,
    Seed,
    UrlCounts,
    best_sources,
    count_posts,
    count_urls,
    select,
)
from lycosa.seeds.posts.tally import SourceCount, UrlTally

__all__ = [
    "Expander",
    "Form",
    "Keywords",
    "Look",
    "Mention",
    "Post",
    "PostCounts",
    "PostFile",
    "PostFilter",
    "Seed",
    "SeedKind",
    "SourceCount",
    "UrlCounts",
    "UrlTally",
    "best_sources",
    "count_posts",
    "count_urls",
    "is_short",
    "look",
    "seed_kind",
    "select",
]
