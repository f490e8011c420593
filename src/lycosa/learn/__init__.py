"""Whether a page is relevant: a stage between evidence and strategy."""
