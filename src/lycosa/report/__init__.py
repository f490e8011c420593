"""The report of a collection, its charts and the design of all pages."""
