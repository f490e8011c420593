"""Pages rendered by a browser that has no way to the network but our own fetcher.

In: a response that was fetched already. Out: the document that its scripts made of it, and every exchange that they asked for.
Chromium is run by Playwright; each page has a context and a loopback proxy of its own, which answers from our fetcher alone.
"""
