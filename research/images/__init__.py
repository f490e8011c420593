"""The shipped image model and what it reaches."""
