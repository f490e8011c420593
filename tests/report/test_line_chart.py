"""Charts: valid SVG of any numbers."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from lycosa.report.charts.line_chart import HEIGHT, WIDTH, line_chart
from lycosa.report.charts.svg import ticks

POINTS = st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)), max_size=20)


@given(
    st.dictionaries(st.text(st.characters(min_codepoint=32, codec="utf-8"), max_size=5), POINTS, max_size=8)
)
def test_any_lines_are_drawn_inside_the_chart(lines):
    """Well-formed, names escaped, every point within the picture."""
    chart = line_chart(lines, "x & <x>", "y")
    if not any(lines.values()):
        assert chart == ""
        return
    ElementTree.fromstring(chart.replace("\ufffe", "").replace("\uffff", ""))
    for points in re.findall(r'points="([^"]*)"', chart):
        for x, y in (map(float, point.split(",")) for point in points.split()):
            assert 0 <= x <= WIDTH
            assert 0 <= y <= HEIGHT


def test_the_smallest_number_has_ticks():
    """Rounding at the end of the number range leaves no value without them."""
    assert ticks(5e-324, whole=False)[-1] >= 5e-324
    assert ticks(0.0, whole=False)[-1] > 0


@given(st.floats(1e-9, 1e12), st.booleans())
def test_the_last_tick_is_above_and_not_far(value, whole):
    """At most twice the value, but for counts below one; never many; never half of what is counted."""
    found = ticks(value, whole=whole)
    assert value <= found[-1] * (1 + 1e-9)
    assert found[-1] <= max(value * 2, 1.0 if whole else 0.0)
    assert 2 <= len(found) <= 7
    assert not whole or all(tick == int(tick) for tick in found)


def test_counts_have_whole_ticks():
    """650 pages are not drawn with ticks at 162.5."""
    chart = line_chart({"pages": [(0.0, 0.0), (650.0, 13.0)]}, "pages", "relevant")
    told = re.findall(r'class="tick"[^>]*>([^<]*)<', chart)
    assert told == ["0", "5", "10", "15", "0", "200", "400", "600"]
