"""Page types, fields and links of a media-sharing site."""
