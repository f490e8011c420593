"""How a crawl is divided into shards, resized, merged and replicated."""
