"""What seeds from many posts cost. In: how many invented tweets. Out: processor seconds, megabytes and counts.

Command line: python -m research.seeds NUMBER
Expected time: a quarter of a minute for 100,000.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from lycosa.prepare.post_seeds import Finding, find_seeds
from lycosa.seeds.posts import PostFile, PostFilter

LANGUAGES = ("en",) * 7 + ("es", "fr", "de")
WORDS = ("flood", "bridge", "river", "water", "rescue", "mayor", "rain", "village", "photo", "live")
SHAPE = 1.1
"""Of the Pareto laws by which few URLs and sources are posted often, and most seldom."""


def write_posts(path: Path, number: int) -> None:
    """Tweets as API 1.1 writes them, about 2 KB each; two of three have a URL, most of these are new."""
    random = Random(number)
    with path.open("w", encoding="utf-8") as file:
        for at in range(number):
            file.write(json.dumps(_tweet(at, number, random)) + "\n")


def _tweet(at: int, number: int, random: Random) -> dict[str, object]:
    page = min(number, int(random.paretovariate(SHAPE) * number / 10)) if random.random() < 0.7 else at
    source = int(random.paretovariate(SHAPE / 2) * 5) % 50_000
    words = random.sample(WORDS, 3)
    short = f"https://t.co/{at:x}"
    long = f"https://news{source}.example/2016/03/{'-'.join(words)}-{page}?utm_source=post"
    urls = [{"url": short, "expanded_url": long, "indices": [0, 23]}] if at % 3 else []
    return {
        "created_at": f"Tue Mar {1 + at % 28:02} 09:15:00 +0000 2016",
        "id": at,
        "id_str": str(at),
        "text": f"{' '.join(words)} {short if urls else ''}",
        "lang": random.choice(LANGUAGES),
        "entities": {"hashtags": [], "symbols": [], "user_mentions": [], "urls": urls},
        "user": {"id": at % 99_991, "screen_name": f"user{at % 99_991}", "description": "d" * 1200},
    }


def measure(path: Path) -> tuple[Finding, float, float]:
    """What is found, processor seconds, and the most memory of this process so far in MB."""
    started = time.process_time()
    found = find_seeds([PostFile(path)], PostFilter(keywords=("flood", "rescue"), language="en"), top=100)
    spent = time.process_time() - started
    return found, spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        posts = Path(folder) / "posts.jsonl"
        write_posts(posts, int(sys.argv[1]))
        finding, seconds, megabytes = measure(posts)
        size = posts.stat().st_size / 1e6
    print(f"{finding.posts.posts:,} posts of {size:,.0f} MB: {seconds:.0f} s, {megabytes:.0f} MB of memory")
    print(
        f"{finding.urls.deduplicated:,} URLs of {finding.urls.sources:,} sources, {len(finding.seeds)} seeds"
    )
