"""What a page says of itself: walls, rights, robots meta tags, error pages, pages that need a browser."""
