"""Places, people and organisations named in a text."""
