"""`python -m lycosa.testing MODULE:FUNCTION [JSON]`: serve the web that the function returns."""

from __future__ import annotations

import importlib
import json
import sys

from lycosa.testing.server import serve


def main(arguments: list[str]) -> None:
    """Call the function with the JSON object's keywords and serve its web until input ends."""
    module, _, function = arguments[0].partition(":")
    keywords = json.loads(arguments[1]) if len(arguments) > 1 else {}
    web = getattr(importlib.import_module(module), function)(**keywords)
    serve(web)


if __name__ == "__main__":
    main(sys.argv[1:])
