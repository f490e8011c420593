"""What each process of a crawl costs: who is who, and the table."""

from __future__ import annotations

import os
import sys

import pytest
from research.processes import crawl_by_parts, table


def test_a_row_has_medians_of_the_parts_and_every_round():
    """A round that a busy machine made dear shows, and does not decide."""
    rounds = [{"crawl": crawl, "workers": 2.0, "fits": 1.0} for crawl in (3.0, 9.0, 3.0)]
    rows = table({("deferred", "fused", "2"): rounds}, 1000)
    assert rows[2:] == ["| deferred | fused | 2 | 3.00 | 2.00 | 1.00 | 6.00 (6.00, 12.00, 6.00) |"]


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_the_cpu_of_a_process_and_of_its_copies_is_told_apart():
    """A child counts for the workers, however long its parent waits for it."""
    busy = "import time\nwhile time.process_time() < {}: pass\n"
    program = "import os\nif os.fork():\n os.wait()\nelse:\n" + busy.format(0.5).replace("\n", "\n ").replace(
        "import", " import", 1
    )
    spent = crawl_by_parts([sys.executable, "-c", program], os.environ)
    assert spent["workers"] >= 0.3 > spent["crawl"]
    assert spent["fits"] == 0.0
