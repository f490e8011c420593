"""What the event method reaches on the web of news."""
