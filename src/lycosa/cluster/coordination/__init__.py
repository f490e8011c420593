"""The coordinator of a sharded crawl and the messages it exchanges with shards."""
