"""The event paper's tables and figures."""
