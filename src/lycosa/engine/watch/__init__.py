"""Watching and steering a running crawl: progress, control socket, signals, summary."""
