"""Fetching over HTTP, one GET per link. Policy (robots.txt, rests, retries) is in `lycosa.fetch.polite`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from lycosa.fetch.content_types import is_wanted
from lycosa.fetch.guards import url_refusal
from lycosa.fetch.http.client import HttpClient
from lycosa.fetch.http.faults import Fault
from lycosa.values import Fetched, Kind, Link, NotFetched, Reason, Refusal


class HttpFetcher:
    """Fetches links with a client, and refuses unwanted responses by their headers.

    `content_types` are those of pages. A body longer than `max_bytes` is refused, or cut with `truncate`. `glance` may
    refuse an image by its first bytes.
    """

    def __init__(
        self,
        client: HttpClient,
        content_types: Sequence[str] = ("*/*",),
        *,
        max_bytes: int,
        truncate: bool = False,
        glance: Callable[[bytes], Refusal | None] | None = None,
    ) -> None:
        self._client = client
        self._wanted = tuple(kind.lower() for kind in content_types)
        self._max_bytes = max_bytes
        self._truncate = truncate
        self._glance_at = glance

    async def fetch(self, link: Link) -> Fetched | NotFetched:
        """Send one GET."""
        if (refusal := url_refusal(link.url, self._client.max_url_length)) is not None:
            return NotFetched(link, refusal)
        try:
            response = await self._client.get(
                link.url,
                max_bytes=self._max_bytes,
                extra=_headers_of(link),
                look=partial(self._look, link),
                glance=self._glance if link.kind is Kind.IMAGE else None,
            )
        except Fault as fault:
            return NotFetched(
                link,
                fault.refusal,
                passing=fault.passing,
                status=fault.status,
                retry_after=fault.retry_after,
            )
        if response.cut and not self._truncate:
            retry_after = response.header("retry-after")
            return NotFetched(
                link, Refusal(Reason.TOO_LARGE), status=response.status, retry_after=retry_after
            )
        return Fetched(
            link=link,
            status=response.status,
            headers=response.headers,
            body=response.body,
            request_head=response.request_head,
            response_head=response.response_head,
            started=response.started,
            elapsed_s=response.elapsed_s,
            address=response.address,
            truncated="length" if response.cut else "",
        )

    def _look(self, link: Link, status: int, headers: Mapping[str, str]) -> None:
        """Raise Fault if the headers show that the body is unwanted."""
        if status == 200 and not is_wanted(link.kind, headers.get("Content-Type", ""), self._wanted):
            raise Fault(Refusal(Reason.CONTENT_TYPE, headers["Content-Type"]))
        length = headers.get("Content-Length", "")
        if self._truncate or not length.isdecimal() or status == 304:
            return
        if int(length) > self._max_bytes:
            raise Fault(Refusal(Reason.TOO_LARGE, f"{length} bytes"))

    def _glance(self, head: bytes) -> None:
        """Raise Fault if the first bytes of an image show that it is unwanted."""
        if self._glance_at is not None and (refusal := self._glance_at(head)) is not None:
            raise Fault(refusal)


def _headers_of(link: Link) -> dict[str, str] | None:
    """Return the headers of a conditional request, and of a request for a requisite of any type."""
    conditions = {"Accept": "*/*"} if link.kind is Kind.REQUISITE else {}
    notes = link.notes
    for value, header in ((notes.etag, "If-None-Match"), (notes.last_modified, "If-Modified-Since")):
        if value and value.isprintable():
            conditions[header] = value
    return conditions or None
