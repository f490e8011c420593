"""Labels from readers. In: a page and what somebody said of it. Out: a label beside the catalogue."""

from __future__ import annotations

import time

from starlette.exceptions import HTTPException

from lycosa.store.collection import ReadCollection
from lycosa.store.labels import Label, clear_label, set_label


def label_page(collection: ReadCollection, number: int, said: str) -> None:
    """Keep a label on a page (by its id): yes, no, or clear."""
    stored = collection.reader.page_by_id(number)
    if stored is None:
        raise HTTPException(404, "There is no such page in this collection.")
    key = stored.link.key
    if said == "clear":
        clear_label(collection.directory, key)
    else:
        set_label(collection.directory, Label(key, stored.link.url, said == "yes", time.time()))
