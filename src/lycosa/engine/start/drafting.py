"""Drafts a spec from example pages: keywords, a description, and values for the methods' sections.

Keywords are words that the pages share and that the language seldom has. Everything is a proposal: it is shown and
written into a crawl.toml, where the user changes it.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os.path import normpath  # the folder of the spec may not be there yet, so ".." is taken literally
from pathlib import Path
from typing import Any

import msgspec

from lycosa import urls
from lycosa.clock import SystemClock
from lycosa.errors import InputError
from lycosa.fetch.live import live_fetcher
from lycosa.fetch.polite.fetcher import PoliteReader
from lycosa.learn.training.examples import document_in
from lycosa.learn.words.background import background_of
from lycosa.learn.words.request import read_request
from lycosa.methods.registry import methods
from lycosa.page.document import Document
from lycosa.page.response import document_of
from lycosa.page.text.languages import NAMES
from lycosa.page.text.terms import count_terms, is_cjk, terms_of
from lycosa.spec.sections import FetchSpec, ScopeSpec
from lycosa.values import NotFetched, Reason, Refusal, Say

KEYWORDS = 8
MIN_COUNT = 2
"""A word that the pages have less often, all together, may be there by chance."""
SENTENCE_CHARS = (40, 250)
"""A description is a sentence of this length."""

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_SENTENCE_END = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？])|\n+")
_KANA = re.compile(r"[\u3041-\u309f]")


class Keyword(msgspec.Struct, frozen=True):
    """A word as the pages write it most often, and how much it tells them from other texts."""

    word: str
    weight: float
    pages: int


class Draft(msgspec.Struct, frozen=True):
    """The apparent topic of pages. `sections` are drafts of method sections, by the method's name."""

    pages: dict[str, str]  # titles by where they were given
    language: str
    keywords: tuple[Keyword, ...]
    description: str
    sections: dict[str, dict[str, Any]] = {}


def draft_from(given: Sequence[str], folder: Path, fetch: FetchSpec, say: Say) -> Draft:
    """Read the pages, politely where they are on the Web, and draft what they are about."""
    found = asyncio.run(_documents(given, folder, fetch, say))
    if not found:
        raise InputError(
            "None of the pages could be read. Check the addresses, or save the pages and name the files."
        )
    return drafted(found)


def drafted(found: Mapping[str, Document]) -> Draft:
    """Draft the topic of these pages."""
    codes = Counter(code for page in found.values() if (code := page.language) in NAMES)
    language = NAMES[codes.most_common(1)[0][0]] if codes else "english"
    documents = [_read_in(page, language) for page in found.values()]
    keywords = keywords_of([page.main_text for page in documents], language)
    if not keywords:
        raise InputError("The pages have no words in common to tell a topic by. Give pages with more text.")
    sections = {}
    for method in methods():
        if method.start.draft and (section := method.start.draft(documents)) is not None:
            sections[method.name] = dict(section)
    titles = {where: page.title for where, page in found.items()}
    return Draft(titles, language, tuple(keywords), _description(documents, keywords, language), sections)


def keywords_of(texts: Sequence[str], language: str) -> list[Keyword]:
    """The words that tell these texts from others, the most telling first.

        weight = share of texts that have it · mean of log(1 + count) · rarity in the language

    >>> texts = ["Owls hunt at night. An owl sees.", "The owl is a bird; owls sleep by day."]
    >>> keywords_of(texts, "english")[0].word
    'owls'
    """
    background, counts = background_of(language), [count_terms(text, language) for text in texts]
    total: Counter[str] = sum((Counter(found) for found in counts), Counter())
    spelled = _spellings(texts, language)
    found = []
    for term, count in total.items():
        on = sum(term in one for one in counts)
        if count < MIN_COUNT or on * 2 < len(texts) or not _tells(term):
            continue
        often = sum(math.log1p(one.get(term, 0)) for one in counts) / len(texts)
        found.append(Keyword(spelled.get(term, term), on / len(texts) * often * background.rarity(term), on))
    return sorted(found, key=lambda one: (-one.weight, one.word))[:KEYWORDS]


def _tells(term: str) -> bool:
    """Whether a term can be a keyword: a word, or a pair of characters that is no ending."""
    return len(term) == 2 and not _KANA.search(term) if is_cjk(term) else len(term) > 2 and not term.isdigit()


def _spellings(texts: Iterable[str], language: str) -> dict[str, str]:
    """The most frequent written form of each term, in lower case."""
    written: dict[str, Counter[str]] = {}
    for word, count in Counter(word.lower() for text in texts for word in _WORD.findall(text)).items():
        terms = terms_of(word, language)
        if len(terms) == 1:
            written.setdefault(terms[0], Counter())[word] += count
    return {term: max(words, key=lambda word: (words[word], word)) for term, words in written.items()}


def _description(documents: Sequence[Document], keywords: Sequence[Keyword], language: str) -> str:
    """The sentence of the pages that says most of the keywords in few words."""
    weights = {term: one.weight for one in keywords for term in terms_of(one.word, language)}
    shortest, longest = SENTENCE_CHARS
    best, said = 0.0, ""
    for text in (part for page in documents for part in (page.description, page.main_text)):
        for sentence in (" ".join(part.split()) for part in _SENTENCE_END.split(text)):
            length = len(sentence) * (2 if sentence and is_cjk(sentence[0]) else 1)
            if shortest <= length <= longest:
                worth = sum(weights.get(term, 0.0) for term in {*terms_of(sentence, language)}) / math.sqrt(
                    length
                )
                if worth > best:
                    best, said = worth, sentence
    return said


async def _documents(given: Sequence[str], folder: Path, fetch: FetchSpec, say: Say) -> dict[str, Document]:
    found: dict[str, Document] = {}
    async with live_fetcher(fetch, ScopeSpec().content_types) as fetcher:
        reader = PoliteReader(fetcher, SystemClock(), fetch.max_redirects)
        for where in dict.fromkeys(given):
            url = urls.parse(where)
            document = await _fetched(url, reader) if url else document_in(Path(normpath(folder / where)))
            if isinstance(document, Refusal):
                say(f"{where} could not be read: {document}. It is left out.")
            else:
                found[where] = document
    return found


async def _fetched(url: str, reader: PoliteReader) -> Document | Refusal:
    result = await reader.get(url)
    if isinstance(result, NotFetched):
        return result.refusal
    return document_of(result) if result.status == 200 else Refusal(Reason.HTTP_ERROR, str(result.status))


def _read_in(page: Document, language: str) -> Document:
    """The same page, its words stemmed in another language."""
    return Document(page.body, page.url, page.content_type, language=language)


def start_of(draft: Draft, kind: str, known: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The rest of a crawl.toml of this kind, after the draft; the kind writes `known` itself."""
    start = {section: dict(values) for section, values in known.items()}
    pages = list(draft.pages)
    topic = {"language": draft.language} if draft.language != "english" else {}
    if "pages" in start.get(kind, {}):  # a method whose section names pages of its own
        start[kind] = {**start[kind], **draft.sections.get(kind, {}), "pages": pages}
        start["topic"] = topic
    else:
        words = [one.word for one in draft.keywords]
        start["topic"] = {"keywords": words, "description": draft.description, "examples": pages, **topic}
    if any(urls.parse(where) for where in pages):
        start["seeds"] = {**start.get("seeds", {}), "urls": []}  # the pages themselves are seeds
    return start


def draft_text(draft: Draft, kind: str) -> str:
    """For reading: what was made of the pages."""
    words = ", ".join(f"{one.word} {one.weight:.1f}" for one in draft.keywords)
    rows = [("language", draft.language), ("keywords", words), ("description", draft.description or "none")]
    if draft.description:
        rows.append(("read as", str(read_request(draft.description, draft.language))))
    for name, section in draft.sections.items():
        told = "; ".join(
            f"{key} {', '.join(value) if isinstance(value, list) else value}"
            for key, value in section.items()
        )
        rows.append((name, told))
    rows += [("page", f"{title or 'without title'} ({where})") for where, title in draft.pages.items()]
    width = max(len(name) for name, _ in rows)
    return "\n".join(
        [f"A crawl of the kind {kind}, as the pages tell it:", *(f"  {n.ljust(width)}  {v}" for n, v in rows)]
    )
