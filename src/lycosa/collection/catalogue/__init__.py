"""The SQLite catalogue: schema, writing, reading, counts."""
