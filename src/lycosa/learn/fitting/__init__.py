"""Fitting a judge from the pages of a crawl."""
