"""Links between shards, and merging or moving their catalogues."""
