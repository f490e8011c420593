"""Links of a page with their contexts, path strings and requisites."""
