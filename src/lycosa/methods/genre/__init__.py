"""Genre-enhanced crawling (Qian, Suebchua and Yamana)."""
