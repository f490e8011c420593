"""What the tests of the lab share."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # fastwarc warns of its own old names when it is imported
    import fastwarc.warc  # noqa: F401
