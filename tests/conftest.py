"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# A busy machine must not fail a test: nothing here is measured by the clock.
settings.register_profile("lycosa", deadline=None)
settings.load_profile("lycosa")
