"""Other crawlers on the same archived web, over HTTP."""
