"""The shipped image model and its accuracy."""
