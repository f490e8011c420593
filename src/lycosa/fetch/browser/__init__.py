"""Rendering pages. A browser reaches the network only through a loopback proxy that asks our own fetcher."""
