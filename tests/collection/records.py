"""Small records for the tests of the store."""

from __future__ import annotations

from lycosa.collection import Record
from lycosa.urls import key_of
from lycosa.values import Decision, Fetched, Judgement, Link, NotFetched, Page, Reason, Refusal, Score

NOW = 1_700_000_000.0


def link_to(url: str, **more) -> Link:
    return Link(url, key_of(url), **more)


def fetched(url: str, body: bytes = b"<p>hello</p>", status: int = 200, at: float = NOW, **more) -> Fetched:
    link = more.pop("link", None) or link_to(url)
    head = more.pop("response_head", f"HTTP/1.1 {status} OK\r\nContent-Type: text/html\r\n\r\n".encode())
    request = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
    headers = more.pop("headers", (("Content-Type", "text/html"),))
    return Fetched(link, status, headers, body, request, head, at, 0.1, address="192.0.2.1", **more)


def page_record(url: str, *, links: int = 3, relevant: bool = True, **more) -> Record:
    """A judged page whose first link is refused and whose last one is held."""
    response = more.pop("fetched", None) or fetched(url, body=f"<p>body of {url}</p>".encode())
    explored = more.pop("explored", False)
    found = tuple(
        Link(f"{url}/{i}", key_of(f"{url}/{i}"), anchor=f"link {i}", position=i, parent=response.link.key)
        for i in range(links)
    )
    page = Page(
        response.link, url, **{"title": "A title", "text": "storm over the city", "links": found} | more
    )
    decisions = [Decision(link, priority=0.5, rule="mean") for link in found]
    if links > 1:
        decisions[0] = Decision(found[0], refusal=Refusal(Reason.OUT_OF_SCOPE, "hosts"), rule="scope")
        decisions[-1] = Decision(found[-1], hold="images", waits_for=(1,), rule="wait")
    return Record(
        at=response.started + 1,
        fetched=response,
        page=page,
        judgement=Judgement(relevant, 0.7 if relevant else 0.1, "cosine"),
        decisions=tuple(decisions),
        explored=explored,
    )


def with_evidence(url: str) -> Record:
    return page_record(
        url, evidence={"topic": Score(0.7, "storm")}, link_evidence={"anchor": (0.1, 0.2, 1 / 3)}
    )


def failed(
    url: str, reason: Reason = Reason.TIMEOUT, again_in_s: float | None = None, parent: int = 7
) -> Record:
    lost = NotFetched(link_to(url, parent=parent), Refusal(reason, "20 s"), again_in_s=again_in_s)
    return Record(at=NOW, not_fetched=lost)
