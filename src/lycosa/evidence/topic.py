"""The topic vector of the event paper (ch. 3), and how close pages and links are to it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lycosa.evidence import Evidence
from lycosa.page.document import Document
from lycosa.page.text.terms import terms_of
from lycosa.values import Score

AWAY = 0.5
"""How far pages that are not relevant turn the topic away (γ). Of 0.25, 0.5 and 1 it kept the best balance of
precision and recall on either half of the topics of wikischools."""


def topic_vector(pages: Iterable[Mapping[str, float]], k: int) -> dict[str, float]:
    """The k most frequent terms of the model pages, each with weight log(1 + f).

        w_t = log(1 + sum over pages of tf_t)          [Farag, ch. 3]

    Ties go to the term that comes first in the alphabet, so that the vector is repeatable.

    >>> {term: round(w, 2) for term, w in topic_vector([{"owl": 3, "night": 1}, {"owl": 1}], 2).items()}
    {'owl': 1.61, 'night': 0.69}
    """
    total: dict[str, float] = {}
    for page in pages:
        for term, frequency in page.items():
            total[term] = total.get(term, 0) + frequency
    best = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:k]
    return {term: math.log1p(frequency) for term, frequency in best}


def centroid(pages: Sequence[Mapping[str, int]], k: int) -> dict[str, float]:
    """The k heaviest terms of the mean of the pages' unit vectors   [Farag, 6.1].

    >>> {term: round(w, 2) for term, w in centroid([{"owl": 3, "night": 4}, {"owl": 1}], 2).items()}
    {'owl': 0.8, 'night': 0.4}
    """
    total: Counter[str] = Counter()
    for page in pages:
        length = math.sqrt(sum(f * f for f in page.values())) or 1.0
        for term, frequency in page.items():
            total[term] += frequency / length / len(pages)  # type: ignore[assignment]
    best = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:k]
    return dict(best)


def away_from(
    topic: Mapping[str, float],
    others: Sequence[Mapping[str, int]],
    relevant: Sequence[Mapping[str, int]],
    k: int,
    gamma: float = AWAY,
) -> dict[str, float]:
    """The topic turned away from pages that are not relevant: relevance feedback after Rocchio (1971).

        d = the k largest of (mean u(p) over other pages − mean u(p) over relevant pages)⁺, of length 1
        w'_t = max(0, w_t − γ·|w|·d_t) for terms of the topic, −γ·|w|·d_t for any other

    u(p) is the unit vector of log(1 + tf). Rocchio dropped negative weights; here they are what helps.

    >>> turned = away_from({"owl": 1.0}, [{"owl": 1, "city": 3}], [{"owl": 2}], 10)
    >>> {term: round(weight, 2) for term, weight in turned.items()}
    {'owl': 1.0, 'city': -0.5}
    """
    here, elsewhere = _mean_unit(relevant), _mean_unit(others)
    more = {term: weight - here.get(term, 0.0) for term, weight in elsewhere.items()}
    away = sorted(
        ((term, weight) for term, weight in more.items() if weight > 0.0),
        key=lambda item: (-item[1], item[0]),
    )[:k]
    if not away:
        return dict(topic)
    length = math.sqrt(sum(weight * weight for weight in topic.values()))
    step = gamma * length / math.sqrt(sum(weight * weight for _, weight in away))
    turned = dict(topic)
    for term, weight in away:
        turned[term] = max(0.0, topic[term] - step * weight) if term in topic else -step * weight
    return {term: weight for term, weight in turned.items() if weight}


def _mean_unit(pages: Sequence[Mapping[str, int]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for page in pages:
        logs = {term: math.log1p(frequency) for term, frequency in page.items()}
        length = math.sqrt(sum(weight * weight for weight in logs.values())) or 1.0
        for term, weight in logs.items():
            total[term] = total.get(term, 0.0) + weight / length / len(pages)
    return total


def projected_cosine(topic: Mapping[str, float], terms: Mapping[str, int]) -> float:
    """Cosine of a topic and a text whose terms are first cut down to the topic's.

        cos = sum w_t·tf_t / (|w|·|tf restricted to the topic's terms|)      [Farag, ch. 3]

    >>> round(projected_cosine({"owl": 3.0, "night": 4.0}, {"owl": 2, "bread": 9}), 2)
    0.6

    0 where terms with negative weights outweigh the others.
    """
    product = square = 0.0
    for term, weight in topic.items():
        frequency = terms.get(term)
        if frequency:
            product += weight * frequency
            square += frequency * frequency
    if product <= 0.0:
        return 0.0
    return min(1.0, product / math.sqrt(square * sum(w * w for w in topic.values())))


class TopicEvidence(Evidence):
    """`topic`: how close a page's text, and each link's URL and anchor words, are to the topic."""

    tells = Score
    tells_of_links = float

    def __init__(self, vector: Mapping[str, float], language: str = "english", name: str = "topic") -> None:
        self.name = name
        self.vector = dict(vector)
        self.language = language
        self._wanted = [term for term, weight in self.vector.items() if weight > 0.0]
        self._length = math.sqrt(sum(weight * weight for weight in self.vector.values()))

    def of_page(self, document: Document) -> Score:
        """The projected cosine of the page's text; with the number of topic words in it."""
        terms = document.terms
        found = sum(terms.get(term, 0) for term in self._wanted)
        return Score(projected_cosine(self.vector, terms), words=found)

    def of_links(self, document: Document) -> list[float]:
        """The projected cosine of each link's URL tokens and anchor text."""
        url_terms = document.link_url_terms
        return [
            self._cosine(anchor, tokens)
            for anchor, tokens in zip(document.link_terms, url_terms, strict=True)
        ]

    def of_text(self, text: str) -> float:
        """The projected cosine of any text."""
        return projected_cosine(self.vector, Counter(terms_of(text, self.language)))

    def _cosine(self, *texts: Sequence[str]) -> float:
        counts: dict[str, int] = {}
        vector = self.vector
        for terms in texts:
            for term in terms:
                if term in vector:
                    counts[term] = counts.get(term, 0) + 1
        if not counts:
            return 0.0
        product = sum(vector[term] * count for term, count in counts.items())
        square = sum(count * count for count in counts.values())
        return max(0.0, min(1.0, product / (math.sqrt(square) * self._length)))
