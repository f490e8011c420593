"""Fit the models that Lycosa ships, from crawls of virtual webs."""
