"""WARC files: writing records and reading responses back."""
