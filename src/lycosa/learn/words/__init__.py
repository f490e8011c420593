"""Background word frequencies, similarity to the request, spelling."""
