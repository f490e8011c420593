"""The `demo` command: serve the demo web, crawl it, report."""
