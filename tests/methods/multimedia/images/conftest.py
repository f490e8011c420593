"""A small model of drawn maps, fitted once."""

from __future__ import annotations

import numpy as np
import pytest

from lycosa.methods.multimedia.image_training import Examples, Setting, fit_images
from lycosa.methods.multimedia.images.model import ImageModel, describe
from tests.methods.multimedia.images.drawn import graded_map, line_chart, noise


@pytest.fixture(scope="session")
def drawn_examples() -> Examples:
    """24 maps, 12 charts and 12 pictures of noise, each from one of six sources."""
    images = [graded_map(i) for i in range(24)] + [d(i) for i in range(12) for d in (line_chart, noise)]
    labels = ("map",) * 24 + ("chart", "noise") * 12
    sources = tuple(f"site{i % 6}" for i in range(48))
    return Examples(np.array([describe(image) for image in images]), labels, sources, ())


@pytest.fixture(scope="session")
def small_model(drawn_examples) -> ImageModel:
    """Maps against the rest."""
    features, labels, sources, _ = drawn_examples
    labels = tuple("map" if label == "map" else "other" for label in labels)
    return fit_images(Examples(features, labels, sources, ()), rest="other", settings=[Setting(10, 1, False)])
