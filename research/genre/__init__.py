"""Labelled genre pages, and the accuracy of the genre models."""
