"""Multimedia evidence: link text and the images of a page (Tsikrika et al.)."""
