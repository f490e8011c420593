"""The classifier that runs at crawl time: scoring, saving, and files of strangers."""

import hashlib
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.errors import ModelError
from lycosa.evidence.text_classifiers import Linear, NaiveBayes, Rbf, Sigmoid, Tree
from lycosa.evidence.text_model import FORMAT, TextModel

IDF = np.array([1.0, 2.0, 0.5])
VOCABULARY = (("bird", "egret", "train"),)


def int32(*numbers):
    return np.array(numbers, np.int32)


def forms():
    """One small classifier of each form, over three features."""
    return {
        "linear": Linear(np.array([1.0, 2.0, -3.0]), -0.5),
        "naive-bayes": NaiveBayes(np.array([1.0, 2.0, -3.0]), 0.25),
        "rbf": Rbf(
            int32(0, 1, 2, 3), int32(0, 0, 1), np.array([0.6, 0.8, 1.0]), np.array([1.0, -1.0]), 1.0, 0.1
        ),
        "tree": Tree(
            int32(2, -1, -1), np.array([0.4, 0, 0]), int32(1, -1, -1), int32(2, -1, -1), np.array([0.5, 1, 0])
        ),
    }


def model(kind="linear", **changes):
    weighting = "counts" if kind == "naive-bayes" else "tfc"
    given = {"form": forms()[kind], "vocabulary": VOCABULARY, "idf": IDF, "weighting": weighting, **changes}
    return TextModel(**given)


@pytest.fixture(params=sorted(forms()))
def any_model(request):
    return model(request.param, sigmoid=Sigmoid(-2.0, 0.3), metadata={"provenance": {"by": "a test"}})


def test_decisions_worked_by_hand():
    """Each form computes what its formula says for the text 'bird bird egret'."""
    x = np.array([2.0, 2.0, 0.0]) / np.sqrt(8)  # counts 2 and 1, idf 1 and 2
    text = [{"bird": 2, "egret": 1, "unknown": 9}]
    assert model("linear").decision(text)[0] == pytest.approx(3 * x[0] - 0.5)
    assert model("naive-bayes").decision(text)[0] == pytest.approx(2 * 1 + 1 * 2 + 0.25)
    vectors = np.array([[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    kernel = np.exp(-((x - vectors) ** 2).sum(axis=1))
    assert model("rbf").decision(text)[0] == pytest.approx(kernel[0] - kernel[1] + 0.1, abs=1e-6)
    assert model("tree").decision(text)[0] == 0.5
    assert model("tree").decision([{"train": 1}])[0] == -0.5


def test_probability_is_the_sigmoid_of_the_decision(any_model):
    """Scores are Platt's probabilities, rise with the decision value and never leave [0, 1]."""
    texts = [{}, {"bird": 1}, {"train": 3}, {"egret": 10**6}]
    expected = 1 / (1 + np.exp(-2.0 * any_model.decision(texts) + 0.3))
    np.testing.assert_allclose(any_model.scores(texts), expected)
    extreme = Sigmoid(-1.0, 0.0)(np.array([-1e9, 0.0, 1e9]))
    assert extreme.tolist() == [0.0, 0.5, 1.0]


def test_boundary_probability_is_a_threshold_for_scores():
    """A text on the boundary scores exactly the boundary's probability."""
    on_the_edge = model(boundary=-0.5, sigmoid=Sigmoid(-3.0, 1.0))
    assert on_the_edge.scores([{}])[0] == on_the_edge.boundary_probability


def test_a_score_does_not_depend_on_its_neighbours(any_model):
    """A text scores the same, to the last bit, alone and among hundreds of others."""
    texts = [{"bird": i % 7, "egret": i % 3, "train": i % 5, "x": 1} for i in range(600)]
    together = any_model.decision(texts)
    alone = np.array([any_model.decision([text])[0] for text in texts])
    assert (together == alone).all()


def test_nothing_to_score_is_no_problem(any_model):
    """No texts give no scores; empty and unknown texts all score as the empty text does."""
    assert any_model.scores([]).shape == (0,)
    empty, unknown = any_model.scores([{}, {"unheard": 5}])
    assert empty == unknown


def test_fields_have_their_own_terms():
    """The same word counts by the field it stands in; missing and foreign fields count for nothing."""
    in_fields = model(fields=("title", "body"), vocabulary=(("bird",), ("bird", "train")), weighting="counts")
    texts = [
        {"title": {"bird": 1}},
        {"body": {"bird": 1, "train": 1}, "title": {}},
        {"footer": {"bird": 9}},
        {"body": {"bird": 2}, "title": {"bird": 1}},
    ]
    assert in_fields.decision(texts).tolist() == [0.5, -1.5, -0.5, 4.5]


def test_a_saved_model_is_the_same_model(any_model, tmp_path):
    """What is loaded scores the same, and saves to the same bytes."""
    texts = [{}, {"bird": 1}, {"train": 3, "egret": 1}]
    any_model.save(tmp_path / "a")
    loaded = TextModel.load(tmp_path / "a")
    assert (loaded.scores(texts) == any_model.scores(texts)).all()
    assert loaded.metadata == any_model.metadata
    loaded.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_model_that_cannot_be_written_is_said(tmp_path):
    """A folder that is not there ends in a ModelError, not a traceback."""
    with pytest.raises(ModelError, match="Name another file"):
        model().save(tmp_path / "missing" / "m")


def test_the_order_of_metadata_does_not_change_the_file(tmp_path):
    """The same model gives the same bytes, however its metadata was put together."""
    model(metadata={"a": 1, "b": 2}).save(tmp_path / "a")
    model(metadata={"b": 2, "a": 1}).save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    "content", [b"", b"\x80", b"PK\x03\x04", b"\xdd\xff\xff\xff\xff" * 900, b"\x91" * 9000]
)
def test_a_file_that_is_no_model_is_refused(tmp_path, content):
    """Any other file ends in a ModelError that says what to do."""
    path = tmp_path / "m"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="lycosa train"):
        TextModel.load(path)
    with pytest.raises(ModelError, match="cannot be read"):
        TextModel.load(tmp_path / "missing")


@settings(max_examples=150, deadline=None)
@given(form=st.sampled_from(sorted(forms())), data=st.data())
def test_a_damaged_file_is_refused(tmp_path_factory, form, data):
    """Whatever happens to a byte of a saved model is noticed."""
    path = tmp_path_factory.mktemp("models") / "m"
    model(form).save(path)
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[at] ^= data.draw(st.integers(1, 255))
    else:
        del content[at : at + data.draw(st.integers(1, 40))]
    path.write_bytes(content)
    with pytest.raises(ModelError):
        TextModel.load(path)


def reseal(path: Path, body: bytes) -> None:
    """Write a body as a stranger would: with a right checksum."""
    envelope = {"format": FORMAT, "sha256": hashlib.sha256(body).digest(), "model": body}
    path.write_bytes(msgspec.msgpack.encode(envelope))


@settings(max_examples=300, deadline=None)
@given(form=st.sampled_from(sorted(forms())), data=st.data())
def test_a_strangers_file_is_refused_or_harmless(tmp_path_factory, form, data):
    """A mangled model with a right checksum is refused, or still gives probabilities."""
    path = tmp_path_factory.mktemp("models") / "m"
    model(form).save(path)
    body = bytearray(msgspec.msgpack.decode(path.read_bytes())["model"])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(body) - 1))
        body[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        if not body:
            break
    reseal(path, bytes(body))
    try:
        loaded = TextModel.load(path)
    except ModelError:
        return
    texts = [{}, {"bird": 2, "egret": 1}, {"train": 1}]
    as_fields = [dict.fromkeys(loaded.fields, text) for text in texts]
    scores = loaded.scores(as_fields if loaded.fields else texts)
    assert ((scores >= 0) & (scores <= 1)).all()


WRONG = {
    "idf": {"idf": np.array([1.0, np.nan, 1.0])},
    "negative idf": {"idf": np.array([1.0, -1.0, 1.0])},
    "short idf": {"idf": np.ones(2)},
    "twice": {"vocabulary": (("bird", "bird", "train"),)},
    "fields": {"fields": ("title", "body")},
    "coefficients": {"form": Linear(np.ones(4), 0.0)},
    "intercept": {"form": Linear(np.ones(3), float("inf"))},
    "support": {"form": Rbf(int32(0, 1, 1, 1), int32(7), np.ones(1), np.ones(1), 1.0, 0.0)},
    "runs": {"form": Rbf(int32(0, 2, 1, 1), int32(0), np.ones(1), np.ones(1), 1.0, 0.0)},
    "gamma": {"form": Rbf(int32(0, 0, 0, 0), int32(), np.ones(0), np.ones(0), float("nan"), 0.0)},
    "circle": {"form": Tree(int32(0, -1), np.zeros(2), int32(0, -1), int32(1, -1), np.zeros(2))},
    "share": {"form": Tree(int32(-1), np.zeros(1), int32(-1), int32(-1), np.array([1.5]))},
    "no node": {"form": Tree(int32(), np.zeros(0), int32(), int32(), np.zeros(0))},
    "huge": {"form": Linear(np.array([1e300, 1.0, 1.0]), 0.0)},
    "boundary": {"boundary": float("nan")},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_a_model_that_does_not_fit_together_cannot_be_made(wrong):
    """Shapes, ranges and structure are checked wherever a model comes from."""
    with pytest.raises(ValueError, match=r"\w"):
        model(**wrong)


def test_a_falling_sigmoid_is_refused():
    """A probability that falls as the decision value rises is no probability of it."""
    with pytest.raises(ValueError, match="falls"):
        Sigmoid(0.5, 0.0)


def test_scoring_needs_neither_sklearn_nor_scipy():
    """Workers of a crawl load models without the training libraries."""
    code = (
        "import sys, lycosa.evidence.text_model, lycosa.learn.training.text;"
        "sys.exit(any(name in sys.modules for name in ('sklearn', 'scipy')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
