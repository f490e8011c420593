"""An index of archived URLs, made while WARC files are read."""

from __future__ import annotations

from array import array

import numpy as np
from fastwarc.warc import WarcRecord, WarcRecordType

from lycosa import urls
from lycosa.fetch.archive.records import target_url


class Index:
    """Parallel arrays with one item per record."""

    def __init__(self, folding: urls.Folding) -> None:
        self._folding = folding
        self._keys = array("q")
        self._places = array("q")
        self._names = array("q")  # three hashes per record: ID, URL and date, digest
        self._urls: list[str] = []
        self._revisits: dict[int, tuple[int, int, int]] = {}  # by place: the names of the original

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, record: WarcRecord, place: int) -> None:
        """Add a record, if it has a URL of the web."""
        url = target_url(record)
        if url is None:
            return
        get = record.headers.get
        digest = _name("sha", get("WARC-Payload-Digest"))
        self._keys.append(urls.key_of(url, self._folding))
        self._places.append(place)
        self._urls.append(url)
        if record.record_type == WarcRecordType.revisit:
            dated = _name(get("WARC-Refers-To-Target-URI"), get("WARC-Refers-To-Date"))
            self._revisits[place] = (_name("id", get("WARC-Refers-To")), dated, digest)
            self._names.extend((0, 0, 0))
        else:
            dated = _name(get("WARC-Target-URI"), get("WARC-Date"))
            self._names.extend((_name("id", get("WARC-Record-ID")), dated, digest))

    def cut(self, start: int, place: int) -> None:
        """Remove the last item if it is the record at this place."""
        if len(self._keys) > start and self._places[-1] == place:
            self._keys.pop()
            self._places.pop()
            self._urls.pop()
            del self._names[-3:]
            self._revisits.pop(place, None)

    def settled(self) -> tuple[Longs, Longs, bytes, dict[int, int]]:
        """Return keys (sorted), their places, the URLs in record order, and the originals of revisits."""
        originals = self._originals()
        found = np.array(
            [
                at
                for at, place in enumerate(self._places)
                if place not in self._revisits or place in originals
            ],
            dtype=np.int64,
        )
        keys = np.frombuffer(self._keys, dtype=np.int64)[found] if len(found) else found
        unique, first = np.unique(keys, return_index=True)
        places = np.array(self._places, dtype=np.int64)[found[first]] if len(found) else found
        text = "\n".join(self._urls[at] for at in found[np.sort(first)])
        return unique, places, text.encode(), originals

    def _originals(self) -> dict[int, int]:
        if not self._revisits:
            return {}
        named: dict[int, int] = {}
        for at, name in enumerate(self._names):
            if name:
                named.setdefault(name, self._places[at // 3])
        originals = {}
        for place, names in self._revisits.items():
            found = next((named[name] for name in names if name in named), None)
            if found is not None:
                originals[place] = found
        return originals


Longs = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def _name(kind: str | None, value: str | None) -> int:
    return urls.hash_of(f"{kind} {value.strip()}") if kind and value else 0
