"""The shipped place model and what it reaches."""
