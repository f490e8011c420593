"""P(I, G): counting, shrinking, learning, keeping."""

from __future__ import annotations

import pytest

from lycosa.errors import ModelError
from lycosa.methods.genre.prior import GenrePrior, LearnedPrior, prior_table


def test_much_counted_is_what_was_counted():
    """With many links the probability is the share that was counted."""
    prior = GenrePrior({"relevant/blog": (8000, 10000), "relevant/image": (1000, 10000)})
    assert prior.probability(True, "blog") == pytest.approx(0.8, abs=0.01)
    assert prior.probability(True, "image") == pytest.approx(0.1, abs=0.01)


def test_unseen_genres_get_the_mean():
    """A genre that was never counted gets what its relevance class has."""
    prior = GenrePrior({"relevant/blog": (8000, 10000)})
    assert prior.probability(True, "video") == pytest.approx(0.8, abs=0.01)
    assert prior.probability(False, "video") == 0.05


def test_learning_moves_from_the_prior_to_the_counts():
    """A few links hardly move a prior, many replace it."""
    learned = LearnedPrior(GenrePrior({"relevant/blog": (800, 1000)}))
    for _ in range(5):
        learned.learn("relevant/blog", False)
    assert 0.6 < learned.probability(True, "blog") < 0.8
    for _ in range(2000):
        learned.learn("relevant/blog", False)
    assert learned.probability(True, "blog") < 0.02


def test_learning_without_a_prior_tells_genres_apart():
    """Nothing needs to be analysed beforehand."""
    learned = LearnedPrior(GenrePrior())
    for _ in range(100):
        learned.learn("relevant/blog", True)
        learned.learn("relevant/image", False)
    assert learned.probability(True, "blog") > 0.85
    assert learned.probability(True, "image") < 0.15
    assert learned.probability(True, "news") == pytest.approx(0.5)


def test_a_prior_is_kept_as_json(tmp_path):
    """What is written can be read by people and by us."""
    path = tmp_path / "prior.json"
    prior = GenrePrior({"relevant/blog": (1, 2)}, {"collection": "x"})
    prior.save(path)
    assert GenrePrior.load(path) == prior
    assert "relevant/blog" in path.read_text()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"format": "other", "prior": {}}',
        '{"format": "lycosa genre prior 1", "prior": {"counts": {"relevant/blog": [3, 2]}}}',
        '{"format": "lycosa genre prior 1", "prior": {"counts": {"relevant/blog": ["a", 2]}}}',
        "[" * 5000,
    ],
)
def test_a_wrong_file_is_refused(tmp_path, text):
    """A file that is no prior is refused with what to do."""
    path = tmp_path / "prior.json"
    path.write_text(text)
    with pytest.raises(ModelError, match="lycosa train genre-prior"):
        GenrePrior.load(path)


def test_the_table_has_a_line_for_each_genre_and_one_for_all():
    """As in the paper's tables 2 and 3."""
    rows = prior_table({"relevant/blog": (3, 4), "irrelevant/blog": (0, 4), "relevant/news": (1, 4)})
    assert [row.genre for row in rows] == ["blog", "news", "all"]
    assert (rows[0].relevant, rows[0].irrelevant, rows[1].irrelevant) == (0.75, 0.0, None)
    assert rows[2].relevant == 0.5
