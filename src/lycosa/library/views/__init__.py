"""What library pages show, as plain data."""
