"""What a page means, whatever its words: a sentence encoder reads its title and its beginning."""
