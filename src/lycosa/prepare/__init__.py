"""Step 0 of a crawl: from a spec to topic, judge and fitted models."""
