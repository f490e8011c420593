"""A collection as a static web site."""
