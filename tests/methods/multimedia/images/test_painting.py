"""The painting descriptor sees paper, paint, scales and colour bars in drawn images."""

from __future__ import annotations

import numpy as np
import pytest

from lycosa.methods.multimedia.images.model import BLOCKS
from lycosa.methods.multimedia.images.painting import (
    bars,
    colour_bar,
    explained,
    look_at,
    painting,
    scale,
    shares,
    step_shares,
)
from lycosa.page.images.pictures import LONGEST
from tests.methods.multimedia.images.drawn import graded_map, line_chart, noise, rainbow


def test_paper_ink_and_paint_are_told_apart():
    """A quarter each: white is paper, black is ink, red is paint, grey is none of them."""
    image = np.full((80, 80, 3), 128, np.uint8)
    image[:40, :40], image[:40, 40:], image[40:, :40] = 255, 0, (255, 0, 0)

    form, white, black, paint = shares(look_at(image))[:4]

    assert (form, white, black, paint) == pytest.approx((0, 0.25, 0.25, 0.25))


def test_colours_of_a_straight_scale_leave_nothing_in_slices():
    """From blue to red in a line: one axis has all the spread; colours at random fill the cube."""
    level = np.linspace(0, 255, 1000)
    straight = np.stack([level, 0 * level, 255 - level]).astype(np.int16)
    scattered = np.random.default_rng(1).integers(0, 256, (3, 1000)).astype(np.int16)

    assert scale(straight)[3] == pytest.approx(1, abs=1e-3)
    assert scale(straight)[4] < 0.01
    assert scale(scattered)[4] > 0.5


def test_steps_are_counted_by_size():
    """A board of 0 and 100 has only steps of the class 80 … 150."""
    board = (np.indices((20, 20)).sum(axis=0) % 2 * 100).astype(np.int16)

    found = step_shares(np.stack([board] * 3), np.ones((20, 20), np.bool_), 1)

    assert found.tolist() == [0, 0, 0, 0, 0, 0, 1, 0]


def test_a_colour_bar_is_found_lying_and_standing():
    """The way through the colours of the bar is long in its direction; its paint is explained."""
    image = np.full((200, 300, 3), 255, np.uint8)
    image[150:162, 50:250] = rainbow(np.linspace(0, 1, 200))

    lying, standing = bars(look_at(image))[[6, 15]]
    turned = bars(look_at(np.ascontiguousarray(image.transpose(1, 0, 2))))[[6, 15]]

    assert lying > 5
    assert standing == 0
    assert turned.tolist() == [0, lying]


def test_paint_of_a_map_has_the_colours_of_its_bar():
    """All colours of the drawn map are in its colour bar; those of noise are not."""
    canvas = look_at(graded_map(1))
    bar = colour_bar(canvas.rgb, canvas.chroma > 20)

    assert explained(canvas, bar)[2] > 0.9
    assert bars(look_at(noise(1)))[:9:3].max() == 0


def test_line_charts_have_no_areas():
    """Thin lines are ink or paint, but never the midst of paint."""
    assert look_at(line_chart(1)).inside.sum() == 0
    assert look_at(graded_map(1)).inside.mean() > 0.3


@pytest.mark.parametrize("size", [(1, 1), (1, LONGEST), (LONGEST, 1), (2, 3), (63, 64), (65, 67), (300, 400)])
def test_every_size_has_a_painting(size):
    """Finite numbers of the promised length, the same each time, whatever the size."""
    image = noise(3, size[1], size[0])

    once = painting(image)

    assert once.size == BLOCKS["painting"]
    assert np.isfinite(once).all()
    assert (once == painting(image)).all()


def test_plain_images_have_a_painting():
    """No paint, no colour, no edge: still numbers."""
    for colour in (0, 128, 255):
        assert np.isfinite(painting(np.full((100, 150, 3), colour, np.uint8))).all()
