"""The library: collections in the browser, to search, browse, understand, watch and label.

`app.application` is the web application. `replay.application` shows archived pages on another
origin. `serving.serve` runs both.
"""
