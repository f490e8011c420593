"""The library: collections in the browser, to search, browse, understand, watch and label.

In: one or several collections, read only. Out: a web application (`application`) and, on an origin of its
own, the archived pages (`replay.application`). `serving.serve` runs both.
"""
