"""Descriptors of drawn images have the values that follow from their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from lycosa.methods.multimedia.images.descriptors import (
    edge_histogram,
    haar,
    homogeneous_texture,
    hsv_bins,
    quantised,
    scalable_color,
)
from lycosa.page.images.pictures import LONGEST
from tests.methods.multimedia.images.drawn import graded_map, noise


def painted(colour, height=80, width=80):
    return np.full((height, width, 3), colour, np.uint8)


@pytest.mark.parametrize(
    ("colour", "value", "saturation", "hue"),
    [
        ((255, 0, 0), 3, 3, 0),
        ((0, 255, 0), 3, 3, 5),
        ((0, 0, 255), 3, 3, 10),
        ((255, 255, 255), 3, 0, 0),
        ((0, 0, 0), 0, 0, 0),
        ((100, 50, 50), 1, 1, 0),
    ],
)
def test_colours_fall_into_their_hsv_bins(colour, value, saturation, hue):
    """Bin = 64·V + 16·S + H, of 4, 4 and 16 levels."""
    assert set(hsv_bins(painted(colour)).ravel().tolist()) == {64 * value + 16 * saturation + hue}


def test_the_first_coefficient_is_the_sum_of_the_quantised_histogram():
    """Two colours of half the image each: twice round(15·min(1, (1024/818.8)^0.4)) = 30."""
    half = painted((255, 0, 0))
    half[:40] = (0, 0, 255)

    assert scalable_color(half)[0] == 30


def test_quantisation_grows_with_the_share_and_ends_at_15():
    """q = round(15·(n/818.8)^0.4): half of 0.4 gives round(15·0.5^0.4) = 11."""
    assert quantised(np.array([0.2, 0.4])).tolist() == [11, 15]


def test_a_red_image_has_the_haar_coefficients_of_one_bin():
    """A single full bin leaves ±15 in one difference of each of the 8 levels, and 15 in the sum."""
    coefficients = scalable_color(painted((255, 0, 0)))

    assert np.count_nonzero(coefficients) == 9
    assert set(np.abs(coefficients[coefficients != 0]).tolist()) == {15}


def test_the_haar_transform_loses_nothing():
    """It is linear and invertible: the 256 unit vectors span everything."""
    histogram = np.random.default_rng(1).integers(0, 16, 256).astype(np.float64)

    assert np.allclose(HAAR @ histogram, haar(histogram))
    assert np.linalg.matrix_rank(HAAR) == 256


HAAR = np.stack([haar(unit) for unit in np.eye(256)], axis=1)


def test_the_haar_differences_are_those_of_the_eight_levels():
    """Level n sums 2ⁿ bins: 128 coefficients see 2 bins, 64 see 4, … 1 sees 256, and so does the sum."""
    seen = np.count_nonzero(HAAR, axis=1)

    assert {int(n): int((seen == n).sum()) for n in np.unique(seen)} == {
        2: 128, 4: 64, 8: 32, 16: 16, 32: 8, 64: 4, 128: 2, 256: 2,
    }  # fmt: skip


def test_the_first_coefficients_are_the_coarse_ones():
    """The first 16 see at least 32 bins each, the last 128 only pairs of neighbouring hues."""
    seen = np.count_nonzero(HAAR, axis=1)

    assert (seen[:16] >= 32).all()
    assert (seen[128:] == 2).all()


@pytest.mark.parametrize(
    ("drawing", "kind"),
    [
        (lambda y, x: x % 2, 0),
        (lambda y, x: y % 2, 1),
        (lambda y, x: (x + y) % 2, 4),
    ],
)
def test_stripes_and_boards_are_edges_of_their_type(drawing, kind):
    """With blocks of 2 × 2: columns are vertical edges, rows horizontal, a board has no direction."""
    y, x = np.mgrid[0:80, 0:80]
    image = np.repeat((drawing(y, x) * 255).astype(np.uint8)[..., None], 3, axis=2)

    histogram = edge_histogram(image).reshape(16, 5)

    assert (histogram[:, kind] == 1).all()
    assert histogram.sum() == 16


def test_diagonal_halves_are_diagonal_edges():
    """a0 bright, a3 dark, a1 and a2 between: 45 degrees; mirrored: 135."""
    block = np.array([[200, 100], [100, 0]], np.uint8)
    image = np.repeat(np.tile(block, (40, 40))[..., None], 3, axis=2)

    assert (edge_histogram(image).reshape(16, 5)[:, 2] == 1).all()
    assert (edge_histogram(image[:, ::-1]).reshape(16, 5)[:, 3] == 1).all()


def test_flat_and_faint_images_have_no_edges():
    """Steps below the threshold of 11 do not count."""
    faint = painted((100, 100, 100))
    faint[:, ::2] = 105

    assert edge_histogram(painted((7, 7, 7))).sum() == 0
    assert edge_histogram(faint).sum() == 0


def test_edges_are_counted_where_they_are():
    """Stripes in the lower right sixteenth only fill the last five bins."""
    image = painted((0, 0, 0))
    image[60:, 60::2] = 255

    histogram = edge_histogram(image)

    assert histogram[75] == 1
    assert histogram[:75].sum() == 0


@pytest.mark.parametrize(("cycles", "radial"), [(3, 0), (6, 1), (12, 2), (24, 3), (48, 4)])
@pytest.mark.parametrize("across", [True, False])
def test_a_wave_has_most_energy_in_its_channel(cycles, radial, across):
    """A sine of 3·2^s cycles is found in radial channel s, at 0° (across) or 90° (down)."""
    y, x = np.mgrid[0:128, 0:128]
    wave = 127 + 100 * np.sin(2 * np.pi * cycles * (x if across else y) / 128)
    image = np.repeat(wave.astype(np.uint8)[..., None], 3, axis=2)

    energy = homogeneous_texture(image)[2:32].reshape(5, 6)

    assert divmod(int(energy.argmax()), 6) == (radial, 0 if across else 3)


@pytest.mark.parametrize(("slope", "angular"), [(1, (1, 2)), (-1, (4, 5))])
def test_a_slanted_wave_is_found_at_its_angle(slope, angular):
    """A wave at ±45° lies between the channels of 30° and 60°, or of 120° and 150°."""
    y, x = np.mgrid[0:128, 0:128]
    wave = 127 + 100 * np.sin(2 * np.pi * 9 * (x + slope * y) / 128)
    image = np.repeat(wave.astype(np.uint8)[..., None], 3, axis=2)

    energy = homogeneous_texture(image)[2:32].reshape(5, 6)

    assert set(np.argsort(energy[2])[-2:].tolist()) == set(angular)


def test_mean_and_deviation_lead_the_texture():
    """Half black, half white: mean 127.5, deviation 127.5."""
    image = painted((0, 0, 0), 128, 128)
    image[:64] = 255

    assert homogeneous_texture(image)[:2] == pytest.approx([127.5, 127.5], abs=0.1)


def test_a_flat_image_has_no_texture():
    """No energy in any channel."""
    assert np.abs(homogeneous_texture(painted((90, 90, 90)))[1:]).max() < 1e-3


@pytest.mark.parametrize("size", [(1, 1), (1, LONGEST), (LONGEST, 1), (2, 3), (70, 69)])
@pytest.mark.parametrize("descriptor", [scalable_color, edge_histogram, homogeneous_texture])
def test_every_size_has_descriptors(size, descriptor):
    """Down to a single pixel: finite numbers, the same each time."""
    image = noise(3, size[1], size[0])

    once = descriptor(image)

    assert np.isfinite(once).all()
    assert (once == descriptor(image)).all()


def test_lengths():
    """256, 80 and 62."""
    image = graded_map(1)

    assert [f(image).size for f in (scalable_color, edge_histogram, homogeneous_texture)] == [256, 80, 62]
