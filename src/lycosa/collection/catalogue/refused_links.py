"""How often links were refused, by reason. In: a catalogue whose links were decided on anew. Out: true counts."""

from __future__ import annotations

import sqlite3


def recount_refused_links(connection: sqlite3.Connection) -> None:
    """Make the counts those of the links as they are; inside a commit."""
    connection.execute("DELETE FROM refused_links")
    connection.execute(
        "INSERT INTO refused_links "
        "SELECT refusal, count(*) FROM links WHERE refusal IS NOT NULL GROUP BY refusal"
    )
