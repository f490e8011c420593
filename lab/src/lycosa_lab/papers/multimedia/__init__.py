"""The multimedia paper's tables and figures."""
