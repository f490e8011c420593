"""A fitted image model judges bytes, is data on disk, and a stranger's file cannot harm."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.errors import ModelError
from lycosa.evidence.model_file import save_model
from lycosa.methods.multimedia.image_training import Setting, fit_images
from lycosa.methods.multimedia.images import ImageModel
from lycosa.methods.multimedia.images.model import FORMAT, MACHINES, RULES, UNIT, columns, encoded
from lycosa.values import Refusal, Score
from tests.methods.multimedia.images.drawn import fact, graded_map, line_chart, noise, png


def test_unseen_drawings_are_told_apart(small_model):
    """Maps that were not learnt from score at least 0.5 and are named; the rest is the rest."""
    map_, chart, noisy = small_model.judge_all([png(d(99)) for d in (graded_map, line_chart, noise)])

    assert (map_.label, chart.label, noisy.label) == ("map", "other", "other")
    assert map_.value >= 0.5 > max(chart.value, noisy.value)


def test_a_broken_image_among_others_is_refused_alone(small_model):
    """The batch keeps its order; only what cannot be read is refused."""
    first, broken, last = small_model.judge_all([png(graded_map(7)), b"\x89PNG broken", png(noise(7))])

    assert isinstance(first, Score)
    assert isinstance(broken, Refusal)
    assert isinstance(last, Score)


def test_an_image_is_judged_the_same_alone_and_in_a_batch(small_model):
    """No image depends on its neighbours."""
    images = [png(graded_map(1)), png(noise(2)), png(line_chart(3))]

    assert [small_model.judge(image) for image in images] == small_model.judge_all(images)


@pytest.mark.parametrize("machine", list(MACHINES))
def test_numpy_decides_as_scikit_learn_does(drawn_examples, small_model, machine):
    """f(x) of a machine equals the decision function of an SVC with the same fit."""
    from sklearn.svm import SVC

    truth = np.array([label == "map" for label in drawn_examples.labels])
    own = columns(MACHINES[machine])
    x = encoded(drawn_examples.features, small_model.mean, small_model.scale)[:, own].astype(float) * UNIT
    expected = SVC(C=10, gamma=1 / own.size).fit(x, truth).decision_function(x)

    assert small_model.decisions(drawn_examples.features, machine)[:, 0] == pytest.approx(expected, abs=1e-6)


def test_a_machine_alone_says_yes_where_its_decision_is_positive(drawn_examples, small_model):
    """The score of a rule of one machine passes 0.5 where f(x) passes 0."""
    for machine in MACHINES:
        said = small_model.with_rule(machine).scores(drawn_examples.features) >= 0.5
        assert (said == (small_model.decisions(drawn_examples.features, machine) >= 0)).all()


def test_the_papers_or_says_yes_where_either_does(drawn_examples, small_model):
    """Late fusion by a logical OR of EH and SC-EH-HT."""
    features = drawn_examples.features
    either = (small_model.decisions(features, "eh") >= 0) | (small_model.decisions(features, "sc-eh-ht") >= 0)

    assert ((small_model.with_rule("or").scores(features) >= 0.5) == either).all()


def test_an_unknown_rule_names_the_known_ones(small_model):
    """The error tells what to write instead."""
    with pytest.raises(ModelError, match="sc-eh-ht"):
        small_model.with_rule("and")


def test_any_number_of_classes(drawn_examples):
    """Two classes sought besides the rest: each image gets its own."""
    model = fit_images(drawn_examples, rest="noise", settings=[Setting(10, 1, False)])
    drawn = [png(d(50)) for d in (graded_map, line_chart, noise)]

    assert [fact(judged).label for judged in model.judge_all(drawn)] == ["map", "chart", "noise"]


def test_a_saved_model_is_the_same_model(tmp_path, drawn_examples, small_model):
    """Scores, classes and metadata survive the disk; saving again gives the same bytes."""
    path = tmp_path / "maps.model"
    small_model.save(path)
    loaded = ImageModel.load(path)
    loaded.save(tmp_path / "again.model")

    assert (loaded.scores(drawn_examples.features) == small_model.scores(drawn_examples.features)).all()
    assert loaded.about == small_model.about
    assert (tmp_path / "again.model").read_bytes() == path.read_bytes()


def damages(model):
    """Models that no training makes, each wrong in one thing."""
    class_ = model.classes[0]
    machine = class_.machines["eh"]

    def with_machine(**changes):
        broken = {**class_.machines, "eh": replaced(machine, **changes)}
        return [replaced(class_, machines=broken)]

    yield "other descriptors", {"blocks": {"sc": 256}}
    yield "no classes", {"classes": []}
    yield "a class twice", {"classes": [class_, class_]}
    yield "the rest is sought", {"rest": class_.label}
    yield "a short scaling", {"mean": model.mean[:-1]}
    yield "a scaling by zero", {"scale": model.scale * 0}
    yield "a scaling of NaN", {"scale": model.scale * np.nan}
    yield "half a vector", {"vectors": model.vectors[:-1]}
    yield "no vectors", {"vectors": model.vectors[:0]}
    yield "an unknown rule", {"rule": "and"}
    yield "a lacking machine", {"classes": [replaced(class_, machines={"eh": machine})]}
    yield "a high threshold", {"classes": [replaced(class_, threshold=1.5)]}
    yield "rows that are not there", {"classes": with_machine(rows=machine.rows + 1_000_000)}
    yield "negative rows", {"classes": with_machine(rows=machine.rows * 0 - 1)}
    yield "fewer coefficients", {"classes": with_machine(coefficients=machine.coefficients[1:])}
    yield "infinite coefficients", {"classes": with_machine(coefficients=machine.coefficients * np.inf)}
    yield (
        "no support vectors",
        {"classes": with_machine(rows=machine.rows[:0], coefficients=machine.coefficients[:0])},
    )
    yield "a negative gamma", {"classes": with_machine(gamma=-1.0)}
    yield "a huge bias", {"classes": with_machine(bias=1e300)}
    yield "text for numbers", {"classes": with_machine(gamma="1")}


def replaced(struct, **changes):
    """A struct's fields as plain data, unchecked, with some of them changed."""
    fields = struct if isinstance(struct, dict) else {f: getattr(struct, f) for f in struct.__struct_fields__}
    return {**fields, **changes}


class Anything(msgspec.Struct):
    """Saved like a model, whatever it holds."""

    blocks: object
    classes: object
    rest: object
    mean: object
    scale: object
    vectors: object
    about: object
    rule: object


def test_a_damaged_model_is_refused(tmp_path, small_model):
    """Every size, index and number is checked before any is used."""
    path = tmp_path / "x.model"
    with np.errstate(invalid="ignore"):
        wrong = list(damages(small_model))
    for what, changes in wrong:
        save_model(path, Anything(**replaced(small_model, **changes)), FORMAT)
        with pytest.raises(ModelError):
            print(what, ImageModel.load(path))


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_no_model(tmp_path_factory, data):
    """A file of a stranger gives a ModelError, nothing else."""
    path = tmp_path_factory.getbasetemp() / "stranger.model"
    path.write_bytes(data)
    with pytest.raises(ModelError):
        ImageModel.load(path)


def test_a_missing_model_says_what_to_do(tmp_path):
    """The message ends with the command that makes one."""
    with pytest.raises(ModelError, match="lycosa train"):
        ImageModel.load(tmp_path / "none.model")


@pytest.mark.parametrize("rule", list(RULES))
def test_the_built_in_model_works_with_every_rule(rule):
    """It judges out of the box, and knows a drawn map from noise by default."""
    model = ImageModel.builtin().with_rule(rule)
    drawn = [png(draw(1)) for draw in (graded_map, noise, line_chart)]
    facts = [fact(judged) for judged in model.judge_all(drawn)]

    assert all(0 <= one.value <= 1 for one in facts)
    if rule == "mean":
        assert [one.label for one in facts] == ["heatmap", "other", "other"]


def test_the_built_in_model_tells_where_it_comes_from():
    """Provenance, numbers of examples and figures on folds by source are in its metadata."""
    about = ImageModel.builtin().about

    assert about["provenance"]
    assert about["folds"] == {"heatmap": "by source"}
    assert about["figures"]["heatmap"]["mean"]["f1"] > 0.85
