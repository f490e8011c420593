"""Seeds from posts of social media and from exported search results."""
