"""The genre paper's tables and figures."""
