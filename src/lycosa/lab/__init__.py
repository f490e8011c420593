"""The lab: virtual webs, experiments, metrics and the reproductions of the papers."""
