"""The spec of a crawl, crawl.toml: its sections, reading and writing."""
