"""The engine: the loop, what it concludes of each page, what it admits, and the wiring of a crawl."""
