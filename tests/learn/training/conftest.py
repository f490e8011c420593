"""What the tests of training share."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # fastwarc warns of its own old names when it is imported
    import fastwarc.warc  # noqa: F401
