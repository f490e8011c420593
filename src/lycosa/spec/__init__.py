"""The spec of a crawl, crawl.toml: its sections, reading it with complaints, writing it."""
