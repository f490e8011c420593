"""Evidence of a fitted text classifier on a page and on its links' words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from lycosa.evidence import Evidence
from lycosa.evidence.text_model import TextModel, Texts
from lycosa.page.document import Document
from lycosa.values import Score


class PageText(Evidence):
    """`text`: how likely the page is relevant by its own words."""

    tells = Score

    def __init__(self, model: TextModel, name: str = "text") -> None:
        self.model = model
        self.name = name

    def of_page(self, document: Document) -> Score:
        """The probability for the whole visible text."""
        if self.model.fields:
            fields = {"title": Counter(document.title_terms), "body": document.terms}
            if "anchor" in self.model.fields:
                fields["anchor"] = Counter(chain.from_iterable(document.link_terms))
            return Score(float(self.model.scores([fields])[0]))
        return Score(float(self.model.scores([document.terms])[0]))


class AnchorText(Evidence):
    """`anchor`: how likely each link leads to a relevant page, by its anchor text alone."""

    tells_of_links = float

    def __init__(self, model: TextModel, name: str = "anchor") -> None:
        self.model = model
        self.name = name

    def of_links(self, document: Document) -> list[float]:
        """One probability a link."""
        return link_scores(self.model, [Counter(terms) for terms in document.link_terms])


class ContextText(Evidence):
    """`context`: by the whole text of the link's aggregation node, anchors included."""

    tells_of_links = float

    def __init__(self, model: TextModel, name: str = "context") -> None:
        self.model = model
        self.name = name

    def of_links(self, document: Document) -> list[float]:
        """One probability a link."""
        return link_scores(self.model, document.whole_context_terms)


def link_scores(model: TextModel, texts: Sequence[Mapping[str, int]]) -> list[float]:
    """The probabilities of short texts, such as anchors."""
    return [float(score) for score in model.scores(link_texts(model, texts))] if texts else []


def link_texts(model: TextModel, texts: Sequence[Mapping[str, int]]) -> Texts:
    """Short texts as the model takes them: in the field of anchors, where it has fields."""
    return [{"anchor": text} for text in texts] if model.fields else texts
