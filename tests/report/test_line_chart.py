"""Charts: valid SVG of any numbers."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from lycosa.report.line_chart import HEIGHT, WIDTH, line_chart, nice_ceiling

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


def test_the_smallest_number_has_a_ceiling():
    """Rounding at the end of the number range leaves no value without one."""
    assert nice_ceiling(5e-324) >= 5e-324
    assert nice_ceiling(1e-310) >= 1e-310


@given(st.floats(1e-9, 1e12))
def test_the_ceiling_is_above_and_not_far(value):
    """At most two and a half times the value."""
    assert value <= nice_ceiling(value) <= value * 2.51
