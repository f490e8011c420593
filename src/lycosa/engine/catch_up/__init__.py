"""Catching up on a finished crawl: index its texts, judge its pages again, teach its judge."""
