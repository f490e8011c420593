"""Step 0 of a crawl: the request, its preparation, and the pages that it begins with."""
