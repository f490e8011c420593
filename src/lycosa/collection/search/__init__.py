"""Full-text search and facets over a catalogue."""
