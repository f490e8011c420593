"""Summarise the pages of a collection in a few sentences and words.

The summary is extractive: each sentence is a quotation with its page.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection as Container
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa.collection.catalogue.page_filter import PageFilter, Relevance
from lycosa.collection.collection import Collection
from lycosa.evidence.model_file import read_json
from lycosa.page.text.terms import terms_of

PAGES = 60
CHARS = 20_000
SENTENCES = 4_000
HEADLINE_WORDS = 4
"""Minimum number of words of a title that marks a sentence as a headline."""
_SENTENCE = re.compile(r"(?<=[.!?。])[\"'”’)]*\s+|\n+")
_WORD = re.compile(r"[^\W\d_]{3,}")


class KeySentence(msgspec.Struct, frozen=True):
    """A sentence and its page (by its id)."""

    text: str
    page: int
    title: str = ""
    source: str = ""


class Gist(msgspec.Struct, frozen=True):
    """Key sentences, and words that most pages share."""

    sentences: tuple[KeySentence, ...] = ()
    terms: tuple[tuple[str, int], ...] = ()


def gist_of(collection: Collection) -> Gist:
    """Return the gist of the best pages of a collection."""
    best = collection.search.best_texts(PageFilter(distinct=True), PAGES, CHARS)
    others = collection.search.best_texts(
        PageFilter(relevance=Relevance.NOT_RELEVANT, distinct=True), PAGES, CHARS
    )
    language, topic = _topic(collection.directory / "models" / "topic.json")
    by_id = {page.page: page for page in best}
    sources = {page.page: page.source for page in best}
    sentences = key_sentences(
        [(page.page, page.text) for page in best],
        topic,
        language,
        sources=sources,
        titles=[
            *(page.title for page in best),
            *(link.anchor for page in best for link in collection.reader.links(page.page)),
        ],
    )
    return Gist(
        tuple(
            KeySentence(one.text, one.page, by_id[one.page].title, by_id[one.page].source)
            for one in sentences
        ),
        tuple(common_terms([page.text for page in best], [page.text for page in others], language)),
    )


def key_sentences(
    texts: Sequence[tuple[int, str]],
    topic: Mapping[str, float],
    language: str = "english",
    limit: int = 6,
    sources: Mapping[int, str] | None = None,
    titles: Sequence[str] = (),
) -> list[KeySentence]:
    """Return the sentences that say most about what the texts share, each different from those before.

    Sources (`sources`: by page) take turns, and so do the pages
    of a source. A sentence that is mostly one of the `titles`, or the text of a link,
    is a headline and is left out.

        score(s) = sum_{t in s} w_t · log(1 + df_t) / sqrt(|s|);   then, one after another, the best by
        score(s) · (1 − max_{chosen c} |s ∩ c| / |s|)             (maximal marginal relevance)

    w_t is the topic's weight of a term, or a small one for other terms.

    >>> [s.text for s in key_sentences([(1, "Owls hunt mice and voles at night over open fields and wet meadows. So it is.")], {"owl": 1.0})]
    ['Owls hunt mice and voles at night over open fields and wet meadows.']
    """
    headlines = {one for one in map(_headline, titles) if len(one.split()) >= HEADLINE_WORDS}
    found = [
        (page, sentence)
        for page, text in texts
        for sentence in _sentences(text)
        if not _announces(sentence.casefold(), headlines)
    ][:SENTENCES]
    terms = [frozenset(terms_of(sentence, language)) for _, sentence in found]
    shared = Counter(term for words in set(terms) for term in words)
    scored = [
        (sum(topic.get(t, 0.02) * math.log1p(shared[t]) for t in words) / math.sqrt(len(words)), at)
        for at, words in enumerate(terms)
        if len(words) >= 4
    ]
    candidates = sorted(scored, key=lambda pair: (-pair[0], pair[1]))[:200]
    chosen: list[int] = []
    spoken: Counter[str | int] = Counter()  # by source and by page

    def heard(at: int) -> tuple[int, int]:
        page = found[at][0]
        return (spoken[sources[page]], spoken[page]) if sources else (0, 0)

    while candidates and len(chosen) < limit:
        fewest = min(heard(at) for _, at in candidates)
        best = max(
            (pair for pair in candidates if heard(pair[1]) == fewest),
            key=lambda pair: pair[0] * _newness(terms[pair[1]], chosen, terms),
        )
        if best[0] * _newness(terms[best[1]], chosen, terms) <= 0:
            break
        candidates.remove(best)
        page = found[best[1]][0]
        spoken.update([page, *([sources[page]] if sources else [])])
        chosen.append(best[1])
    return [KeySentence(found[at][1], found[at][0]) for at in chosen]


def common_terms(
    texts: Sequence[str], others: Sequence[str] = (), language: str = "english", limit: int = 30
) -> list[tuple[str, int]]:
    """Return words that distinguish the texts, in their most frequent spelling, with their number of texts.

        score(t) = df_t / |texts| − df'_t / |others|

    >>> common_terms(["Owls and an owl.", "The owls, the mice."], ["Cats and mice."], limit=1)
    [('owls', 2)]
    """
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    here, elsewhere = (_in_how_many(some, spellings, language) for some in (texts, others))

    def rank(stem: str) -> tuple[float, int, str]:
        share = here[stem] / len(texts) - elsewhere[stem] / max(1, len(others))
        return -share, -sum(spellings[stem].values()), stem

    return [(spellings[stem].most_common(1)[0][0], here[stem]) for stem in sorted(here, key=rank)[:limit]]


def _in_how_many(texts: Sequence[str], spellings: dict[str, Counter[str]], language: str) -> Counter[str]:
    stems: dict[str, str] = {}
    found: Counter[str] = Counter()
    for text in texts:
        here = set()
        for word, count in Counter(word.lower() for word in _WORD.findall(text)).items():
            if word not in stems:
                stems[word] = next(iter(terms_of(word, language)), "")
            if stem := stems[word]:
                spellings[stem][word] += count
                here.add(stem)
        found.update(here)
    return found


def _announces(sentence: str, headlines: Container[str]) -> bool:
    """Return whether a sentence is mostly one of these headlines."""
    return any(2 * len(headline) >= len(sentence) and headline in sentence for headline in headlines)


def _headline(title: str) -> str:
    """Return a title without the name of its site, for comparison.

    >>> _headline("A Night with Owls | The Gazette"), _headline("Owls")
    ('a night with owls', 'owls')
    """
    return re.split(r"\s+[|–—·]\s+", " ".join(title.split()))[0].casefold()


def _sentences(text: str) -> list[str]:
    pieces = (" ".join(piece.split()) for piece in _SENTENCE.split(text))
    return list(dict.fromkeys(piece for piece in pieces if 60 <= len(piece) <= 320 and _is_whole(piece)))


def _is_whole(sentence: str) -> bool:
    """Return whether a text begins and ends like a sentence: no heading, fragment or list of links.

    >>> [_is_whole(text) for text in ("Owls hunt at night.", "and hunt at night.", "Owls of the night", "Read more…")]
    [True, False, False, False]
    """
    first = sentence.lstrip("\"“„«'‘(")[:1]
    begins = first.isupper() or first.isdigit() or (first.isalpha() and not first.islower())
    return begins and sentence[-1:] in ".!?。\"”'’)" and not sentence.endswith(("...", "…"))


def _newness(words: frozenset[str], chosen: Sequence[int], terms: Sequence[frozenset[str]]) -> float:
    return 1.0 - max((len(words & terms[other]) / len(words) for other in chosen), default=0.0)


class _Topic(msgspec.Struct):
    language: str = "english"
    vector: dict[str, float] = {}


def _topic(path: Path) -> tuple[str, Mapping[str, float]]:
    try:
        topic = read_json(path, _Topic)
    except (OSError, ValueError):
        topic = _Topic()
    return topic.language, topic.vector
