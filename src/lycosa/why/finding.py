"""Find out what a collection knows about a URL."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

import msgspec

from lycosa import urls
from lycosa.collection.catalogue.pages import StoredLink, StoredOutcome, StoredPage
from lycosa.collection.catalogue.reader import Reader
from lycosa.collection.collection import Collection
from lycosa.collection.labels import answers_in
from lycosa.errors import InputError, LycosaError, ModelError
from lycosa.frontier import UrlState
from lycosa.frontier.choice import in_its_share
from lycosa.frontier.rows import dropped_for, pages_of_site, url_state_in, urls_known_below
from lycosa.learn.judges.kinds import wanted_in
from lycosa.learn.judges.version import Reasons, Scorer, load_version
from lycosa.methods.lookup import all_settings, guide_named, link_words, strategy_class
from lycosa.page.text.written import as_written
from lycosa.spec.reading import stored_spec
from lycosa.spec.sections import Spec
from lycosa.values import Fact, Judgement, Kind, Link, Score
from lycosa.why.explanation import COUNTED, NEAR, Explanation, FoundOn, LinkNear, OpenedBy
from lycosa.wording import counted

SEEN = 0.005
"""Smaller differences of probabilities are invisible with two digits."""
UNREAD_NAMED = 3
"""Maximum number of refused pages named that might link to an unknown URL."""


def explain(directory: str | PathLike[str], url: str) -> Explanation:
    """Explain a URL: taken, refused, waiting or never seen, and why. Printed, it reads as text."""
    parsed = urls.parse(url)
    if parsed is None:
        raise InputError(f"{url!r} is not an http(s) URL. Write it in full: https://…")
    with Collection.open(Path(directory)) as collection:
        key = collection.reader.key_of(parsed)
        leading = list(collection.reader.links_to(key, COUNTED))
        found_on = tuple(_found_on(collection.reader, link) for link in leading[:NEAR])
        explained = _explained(collection, parsed, key, found_on)
        return msgspec.structs.replace(
            explained, more=len(leading) - len(found_on), ranked_by=_ranked_by(collection, key)
        )


def _ranked_by(collection: Collection, key: int) -> tuple[tuple[str, float], ...]:
    """Return the parts of the URL's rank by the strategy of the last run."""
    state = url_state_in(collection.connection, key)
    if state is None or not state.link.record:
        return ()
    spec = collection.spec()
    name = str(spec.get("", {}).get("strategy", Spec.model_fields["strategy"].default))
    try:
        guide = guide_named(name, spec)
        told = [*([strategy_class(guide).guides] if guide else []), *_told(collection.reader, state.link)]
        return tuple(strategy_class(name).reasons(state.link.record, told))
    except LycosaError:  # a user's own strategy that is gone
        return ()


def _told(reader: Reader, link: Link) -> list[str]:
    """Return the evidence of methods on the link, in words."""
    page = reader.page(link.parent)
    return link_words(reader.link_evidence(page.id)) if page else []


def _explained(collection: Collection, url: str, key: int, found_on: tuple[FoundOn, ...]) -> Explanation:
    if (page := collection.reader.page(key)) is not None:
        return _of_page(collection, page, found_on)
    if (outcome := collection.reader.outcome(key)) is not None and not outcome.again:
        return _of_outcome(collection.reader, outcome, found_on)
    if (standing := url_state_in(collection.connection, key)) is not None:
        return _of_standing(collection, url, standing, found_on)
    return _of_unknown(collection, url, found_on)


def _of_page(collection: Collection, page: StoredPage, found_on: tuple[FoundOn, ...]) -> Explanation:
    capture, evidence = page.capture, collection.reader.evidence(page.id)
    words = _words(collection, page, evidence)
    return Explanation(
        url=page.link.url,
        verdict=_verdict(page, _target(collection, page)),
        status=page.status,
        title=page.title,
        at=_time(page.at),
        judgement=page.judgement,
        words=words,
        answer=_answer(collection, page.link.key),
        apart=_apart(page.judgement, words, wanted_in(evidence)),
        evidence=evidence,
        refusal=str(page.refusal or ""),
        archive=f"{capture.file} at byte {capture.offset}",
        path=collection.reader.path_from_seed(page.link.key),
        found_on=found_on,
        image=opened_by(collection.reader, page.link),
    )


def _words(collection: Collection, page: StoredPage, evidence: Mapping[str, Fact]) -> Reasons | None:
    """Return what each word adds to the score, if the version of the judge that judged the page still exists."""
    try:
        version = load_version(collection.directory / "models", collection.reader.judge_version())
    except ModelError:
        return None
    if page.judgement is None or not page.judgement.rule.startswith(f"{version.name}:"):
        return None
    fact = evidence.get(version.evidence)
    value = fact.value if isinstance(fact, Score) else 0.0
    told = Scorer(version).reasons(collection.reader.terms_of(page.id), value)
    written = as_written([term for term, _ in told.words], collection.reader.text(page.id), version.language)
    if version.evidence:
        written[version.evidence] = f"the evidence {version.evidence}"
    words = tuple((written.get(term, term), amount) for term, amount in told.words)
    return msgspec.structs.replace(told, words=words)


def _apart(judgement: Judgement | None, words: Reasons | None, wanted: float) -> str:
    """Say why the score of a page differs from the probability of its words; '' if they agree.

    >>> told = Reasons((), 0.0, 0.0, 0.0, probability=0.5)
    >>> _apart(Judgement(True, 0.501), told, 1.0), _apart(None, None, 1.0)
    ('', '')
    >>> _apart(Judgement(False, 0.2), told, 0.4)
    'Score 0.20: this probability times the confidence that the page is of a wanted kind (0.40).'
    """
    if judgement is None or words is None or abs(judgement.score - words.probability) < SEEN:
        return ""
    of_kind = f"times the confidence that the page is of a wanted kind ({wanted:.2f})" if wanted < 1.0 else ""
    if abs(judgement.score - words.probability * wanted) < SEEN:
        return f"Score {judgement.score:.2f}: this probability {of_kind}."
    return (
        f"Score {judgement.score:.2f}, from a model trained without this page{', ' * bool(of_kind)}{of_kind}."
    )


def _answer(collection: Collection, key: int) -> str:
    """Return what an assistant said of a page; '' if it was not asked."""
    answer = answers_in(collection.directory).get(key)
    if answer is None:
        return ""
    said = {True: "relevant", False: "not relevant", None: "no answer"}[answer.relevant]
    return f"{answer.model}, {_time(answer.at)}: {said}. {answer.reason}"


def opened_by(reader: Reader, link: Link) -> OpenedBy | None:
    """Return the single image that made a link worth following."""
    image = reader.page(link.notes.opened_by) if link.notes.opened_by else None
    if image is None:
        return None
    scores = (fact for fact in reader.evidence(image.id).values() if isinstance(fact, Score))
    return OpenedBy(image.link.url, next(scores, None))


def _target(collection: Collection, page: StoredPage) -> str:
    """Return the target of a redirect; '' of other pages."""
    link = next(collection.reader.links(page.id), None) if 300 <= page.status < 400 else None
    if link is None or link.url:
        return link.url if link else ""
    if (there := collection.reader.page(link.target)) is not None:
        return there.link.url
    if (outcome := collection.reader.outcome(link.target)) is not None:
        return outcome.url
    standing = url_state_in(collection.connection, link.target)
    return standing.link.url if standing else ""


def _verdict(page: StoredPage, target: str) -> str:
    if page.refusal and page.judgement and page.judgement.relevant:
        return f"Fetched and kept, because you say so: {page.judgement.rule}. Otherwise it would be refused: {page.refusal}."
    if page.refusal:
        return f"Fetched, but not kept: {page.refusal}."
    if page.kind is not Kind.PAGE:
        return f"Fetched as {page.kind.value}, not as a page of its own."
    if 300 <= page.status < 400:
        where = f"to {target}" if target else "nowhere new"
        return f"Fetched: it redirects (status {page.status}) {where}."
    if page.judgement is None:
        return f"Fetched with status {page.status}; nothing to judge."
    if page.explored:
        return "Fetched for its links only; not part of the collection."
    return "Fetched and judged relevant." if page.judgement.relevant else "Fetched and judged not relevant."


def _of_outcome(reader: Reader, outcome: StoredOutcome, found_on: tuple[FoundOn, ...]) -> Explanation:
    return Explanation(
        url=outcome.url,
        verdict=f"Asked for, but not fetched: {outcome.refusal}.",
        at=_time(outcome.at),
        refusal=str(outcome.refusal),
        path=reader.path_from_seed(outcome.key),
        found_on=found_on,
    )


def _of_standing(
    collection: Collection, url: str, standing: UrlState, found_on: tuple[FoundOn, ...]
) -> Explanation:
    reader, priority = collection.reader, standing.link.priority
    words = {
        "waiting": f"Waiting to be fetched, with priority {priority:.4g}{_in_share(collection, standing.link)}.",
        "taken": "Being fetched just now (or when the crawl was interrupted).",
        "held": f"Held until {standing.hold!r} is settled.",
        "done": "Done.",
    }
    path = (*reader.path_from_seed(standing.link.parent), url)
    image = opened_by(reader, standing.link)
    return Explanation(standing.link.url, words[standing.state], path=path, found_on=found_on, image=image)


def _in_share(collection: Collection, link: Link) -> str:
    """Return what a priority counts for on a site that has used up its share of the pages; else ''."""
    try:
        share = stored_spec(collection.spec_text(), all_settings()).limits.pages_in_share
    except LycosaError:  # written by a later version or by a stranger
        return ""
    pages, source = (
        pages_of_site(collection.connection, link.url),
        urls.source_of(urls.authority_of(link.url)),
    )
    named = {urls.source_of(urls.authority_of(seed)) for seed in collection.reader.seeds()}
    if share is None or pages < share or source in named:
        return ""
    counts = in_its_share(link.priority, pages, share)
    return f", which counts as {counts:.4g}: {source} has given {pages} pages, and its share is {share} (limits.site_share)"


def _of_unknown(collection: Collection, url: str, found_on: tuple[FoundOn, ...]) -> Explanation:
    if not found_on:
        verdict = _of_unseen(collection.reader, url)
        nearby, links_near = _nearby(collection, url)
        return Explanation(url, verdict, nearby=nearby, links_near=links_near)
    refusals = sorted({found.refusal for found in found_on if found.refusal})
    if all(found.refusal for found in found_on):
        verdict = f"Seen but refused: {'; '.join(refusals)}."
        return Explanation(url, verdict, found_on=found_on, refusal="; ".join(refusals))
    refusal = " or ".join(map(str, dropped_for(collection.connection, url, _limits(collection))))
    verdict = f"Seen, but not kept waiting: {refusal or 'the reason is not recorded'}."
    return Explanation(url, verdict, found_on=found_on, refusal=refusal)


def _of_unseen(reader: Reader, url: str) -> str:
    """Say that no link to a URL is known, and which pages might have one: links of refused pages are not followed."""
    unread = reader.links_unread(urls.authority_of(url))
    if not unread:
        return "Never discovered: no page of this collection links to it."
    named = "; ".join(f"{page.link.url}: {page.refusal}" for page in unread[:UNREAD_NAMED])
    more = f"; and {len(unread) - UNREAD_NAMED:,} more" if len(unread) > UNREAD_NAMED else ""
    pages = counted(len(unread), "page")
    return f"Never discovered. {pages} whose links were not followed might link to it: {named}{more}."


def _limits(collection: Collection) -> tuple[int | None, int | None]:
    """Return the limits of pages per host and per site of the last run."""
    limits = collection.spec().get("limits", {})
    host, site = limits.get("pages_per_host"), limits.get("pages_per_site")
    return host if isinstance(host, int) else None, site if isinstance(site, int) else None


def _nearby(collection: Collection, url: str) -> tuple[tuple[str, ...], tuple[LinkNear, ...]]:
    """Return fetched URLs, and links, in the deepest folder of the URL that has any."""
    authority, folder = urls.authority_of(url), url.partition("?")[0]
    while len(folder) > len(authority):
        folder = max(authority, folder.rstrip("/").rpartition("/")[0], key=len)
        fetched = collection.reader.urls_below(folder, NEAR)
        linking = _links_near(collection, authority, folder)
        if fetched or linking:
            return tuple(fetched), linking
    return (), ()


def _links_near(collection: Collection, authority: str, folder: str) -> tuple[LinkNear, ...]:
    """Return pages with links to URLs below a folder, fetched or waiting."""
    found = collection.reader.found_below(folder, NEAR)
    if len(found) < NEAR:
        for parent, url in urls_known_below(collection.connection, authority, folder, NEAR):
            page = collection.reader.page(parent)
            found += [(page.link.url, url)] if page else []
    return tuple(LinkNear(*pair) for pair in dict.fromkeys(found))[:NEAR]


def _found_on(reader: Reader, link: StoredLink) -> FoundOn:
    page = reader.page(link.page)
    evidence = reader.told_of_link(page.id, link.position) if page else {}
    refusal = str(link.refusal or "")
    return FoundOn(page.link.url if page else "", link.anchor, link.priority, link.rule, refusal, evidence)


def _time(at: float) -> str:
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
