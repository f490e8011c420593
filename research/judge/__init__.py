"""Programs that fit and measure the judge."""
