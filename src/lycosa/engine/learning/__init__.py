"""Refitting the judge while crawling, and judging a collection anew."""
