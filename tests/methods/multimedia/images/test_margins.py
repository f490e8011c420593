"""The margins of pictures: the same picture bare, on paper and in the midst of a page is described alike."""

from __future__ import annotations

import numpy as np
import pytest

from lycosa.methods.multimedia.images.margins import MIN_SIDE, picture_in, views_of
from lycosa.methods.multimedia.images.model import ImageModel, describe
from lycosa.values import Score
from tests.methods.multimedia.images.drawn import graded_map, png

CHANCE = np.random.default_rng(1)
PICTURE = CHANCE.integers(0, 200, (90, 120, 3), np.uint8)


def on_paper(picture: np.ndarray, colour: int = 255, noise: int = 0) -> np.ndarray:
    paper = np.full((200, 260, 3), colour, np.int16)
    paper += CHANCE.integers(-noise, noise + 1, paper.shape, np.int16)
    paper = np.clip(paper, 0, 255).astype(np.uint8)
    paper[50:140, 70:190] = picture
    return paper


@pytest.mark.parametrize("colour", [255, 240, 12])
@pytest.mark.parametrize("noise", [0, 6])
def test_what_surrounds_a_picture_is_cut_off(colour, noise):
    """White, grey or black, with the noise of JPEG."""
    _, view = views_of(on_paper(PICTURE, colour, noise))
    assert np.array_equal(view, PICTURE)
    assert np.array_equal(describe(view), describe(PICTURE))


def test_narrow_margins_belong_to_a_picture():
    """It is judged with them and without; one that has none is judged once."""
    framed = np.pad(PICTURE, ((6, 6), (6, 6), (0, 0)), constant_values=255)
    assert [view.shape for view in views_of(framed)] == [framed.shape, PICTURE.shape]
    assert len(views_of(PICTURE)) == 1


def test_a_map_in_the_midst_of_a_page_is_still_one():
    """The built-in model says of a drawn map on a large white page what it says of the map."""
    bare = graded_map(1)
    page = np.full((bare.shape[0] * 2, bare.shape[1] * 2, 3), 255, np.uint8)
    page[: bare.shape[0], : bare.shape[1]] = bare
    page = np.roll(page, (bare.shape[0] // 2, bare.shape[1] // 2), (0, 1))
    model = ImageModel.builtin()
    facts = [fact for fact in model.judge_all([png(bare), png(page)]) if isinstance(fact, Score)]
    assert [fact.label for fact in facts] == ["heatmap", "heatmap"]


def test_what_is_nearly_empty_stays():
    """A blank image, and one with a small thing in it."""
    blank = np.full((100, 100, 3), 255, np.uint8)
    speck = blank.copy()
    speck[40 : 40 + MIN_SIDE - 2, 40:60] = 0
    assert picture_in(blank) == (0, 100, 0, 100)
    assert picture_in(speck) == (0, 100, 0, 100)
    assert len(views_of(blank)) == 1
