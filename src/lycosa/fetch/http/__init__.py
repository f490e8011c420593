"""The live web over HTTP/1.1."""
