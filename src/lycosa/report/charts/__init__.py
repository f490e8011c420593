"""Charts and maps as SVG."""
