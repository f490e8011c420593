"""Worker processes and the page analysis they run."""
