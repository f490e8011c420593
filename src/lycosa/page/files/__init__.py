"""PDF and office files, read in a separate process."""
