"""Archived webs: WARC and WACZ files as a fetcher."""
