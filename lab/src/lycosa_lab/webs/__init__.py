"""Virtual webs: reading, parsing once, recording."""
