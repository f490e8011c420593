"""The shipped place model and its accuracy."""
