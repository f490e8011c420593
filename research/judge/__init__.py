"""Programs on the judge that learns."""
