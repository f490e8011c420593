"""Image size and pixels from bytes."""
