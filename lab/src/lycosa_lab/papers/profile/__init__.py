"""The profile paper's tables and figures."""
