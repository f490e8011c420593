"""What a collection tells people: the reasons for a URL, curves, tables, the HTML report."""
