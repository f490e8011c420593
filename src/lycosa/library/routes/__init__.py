"""HTTP routes of the library."""
