"""The flame graph: samples, and the picture of them."""

from __future__ import annotations

import re
import time
from xml.etree import ElementTree

from lycosa.page.text.terms import count_terms
from lycosa_lab.bench.flame import Samples, flame_graph


def test_our_functions_are_seen_at_work():
    """While our code works, stacks that end in it are sampled; what called it from outside is left out."""
    samples = Samples()
    text = "owls hunt by night " * 2000
    with samples.taken():
        end = time.process_time() + 20
        while not samples.stacks.total() and time.process_time() < end:
            count_terms(text)
    assert any(stack and stack[0].startswith("page.text.terms:") for stack in samples.stacks)


def test_the_picture_is_an_svg_as_wide_as_the_shares():
    """Each box has the share of its samples, and no box is wider than the one below it."""
    stacks = {("engine.loop:run", "page.links:find <b>"): 30, ("engine.loop:run",): 10, ("store:save",): 60}
    svg = flame_graph(stacks, "A crawl & more")
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="16"', svg)]
    assert [round(width / sum((widths[0], widths[2])), 2) for width in widths] == [0.4, 0.3, 0.6]
    assert flame_graph({}, "nothing").count("<rect") == 0
