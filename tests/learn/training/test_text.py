"""Fitting text classifiers: equal to scikit-learn, repeatable, honest about what it cannot do."""

import csv
from random import Random

import msgspec
import numpy as np
import pytest
from fastwarc.warc import ArchiveIterator
from scipy.sparse import csr_matrix
from selectolax.lexbor import LexborHTMLParser
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from lycosa.errors import InputError
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.weighting import tfc, tfidf, tfipndf_unit
from lycosa.learn.training.text import Example, Label, TextSettings, train_text
from lycosa.learn.training.validation import area_under_roc
from lycosa.page.text.terms import count_terms
from tests.conftest import SHARED

P, N, U = Label.POSITIVE, Label.NEGATIVE, Label.UNLABELLED


def text(random, topic, words=40):
    """A text of which a quarter is about its topic."""
    counts: dict[str, int] = {}
    for _ in range(words):
        own = random.random() < 0.25
        term = f"{topic if own else 'word'}{int(random.paretovariate(0.7)) % 60}"
        counts[term] = counts.get(term, 0) + 1
    return counts


def corpus(positives=20, negatives=40, unlabelled=(), seed=1, **of_each):
    random = Random(seed)
    made = [Example(text(random, "bird"), P, **of_each) for _ in range(positives)]
    made += [Example(text(random, "train"), N, **of_each) for _ in range(negatives)]
    made += [Example(text(random, topic), U, **of_each) for topic in unlabelled]
    return made


def dense(model, texts):
    """Counts over the model's vocabulary."""
    return np.array([[text.get(term, 0) for term in model.vocabulary[0]] for text in texts], float)


def weighted(model, counts):
    weigh = {"counts": lambda f, _: f, "tfidf": tfidf, "tfc": tfc}[model.weighting]
    return np.array([weigh(row, model.idf) for row in counts])


EXAMPLES = corpus()
TRUTH = np.array([example.label is P for example in EXAMPLES])
FRESH = [example.terms for example in corpus(seed=2)] + [{}, {"unheard": 3}, {"bird1": 1}]


def training_matrix(model, weighting):
    counts = dense(model, [example.terms for example in EXAMPLES])
    if weighting != "tfipndf":
        return weighted(model, counts)
    shares = (counts[TRUTH] > 0).mean(axis=0), (counts[~TRUTH] > 0).mean(axis=0)
    rows = zip(counts, TRUTH, strict=True)
    return np.array([tfipndf_unit(row, *shares, model.idf, np.full(len(row), p)) for row, p in rows])


BALANCED = {"class_weight": "balanced"}
ESTIMATORS = {
    "linear": lambda: LinearSVC(random_state=0, max_iter=10_000, dual=True, **BALANCED),
    "rbf": lambda: SVC(gamma=1.0, **BALANCED),
    "tree": lambda: DecisionTreeClassifier(min_samples_leaf=2, random_state=0, **BALANCED),
}


@pytest.mark.parametrize("weighting", ["tfidf", "tfc", "tfipndf"])
@pytest.mark.parametrize("classifier", sorted(ESTIMATORS))
def test_numpy_and_sklearn_agree(classifier, weighting):
    """Our decision values are those of scikit-learn's estimator on the same weights."""
    model = train_text(EXAMPLES, TextSettings(classifier=classifier, weighting=weighting))
    estimator = ESTIMATORS[classifier]().fit(csr_matrix(training_matrix(model, weighting)), TRUTH)
    fresh = csr_matrix(weighted(model, dense(model, FRESH)))
    if classifier == "tree":
        expected = estimator.predict_proba(fresh)[:, 1] - 0.5
    else:
        expected = estimator.decision_function(fresh)
    np.testing.assert_allclose(model.decision(FRESH), expected, atol=2e-5)


def test_naive_bayes_and_sklearn_agree():
    """Without under-sampling our log odds are those of MultinomialNB."""
    model = train_text(EXAMPLES, TextSettings(classifier="naive-bayes", balance="none"))
    counts = dense(model, [example.terms for example in EXAMPLES])
    log = MultinomialNB().fit(counts, TRUTH).predict_log_proba(dense(model, FRESH))
    np.testing.assert_allclose(model.decision(FRESH), log[:, 1] - log[:, 0], atol=1e-9)


def test_naive_bayes_takes_each_field_by_itself():
    """With fields the log odds are the sum of one MultinomialNB a field, the prior counted once."""
    random = Random(5)
    labels = [P] * 12 + [N] * 20
    topics = ["bird" if label is P else "train" for label in labels]
    texts = [{"title": text(random, topic, 3), "body": text(random, topic)} for topic in topics]
    made = [Example(terms, label) for terms, label in zip(texts, labels, strict=True)]
    model = train_text(made, TextSettings(classifier="naive-bayes", balance="none", fields=("title", "body")))
    truth = [label is P for label in labels]
    expected = np.full(len(made), np.log(12 / 20))
    for field, terms in zip(model.fields, model.vocabulary, strict=True):
        counts = np.array([[terms_in[field].get(term, 0) for term in terms] for terms_in in texts])
        log = MultinomialNB(fit_prior=False).fit(counts, truth).predict_log_proba(counts)
        expected += log[:, 1] - log[:, 0]
    np.testing.assert_allclose(model.decision(texts), expected, atol=1e-9)


def test_under_sampling_makes_the_classes_even():
    """The prior of an under-sampled naive Bayes is even, whatever the examples were."""
    model = train_text(corpus(5, 60), TextSettings(classifier="naive-bayes"))
    assert model.decision([{}])[0] == 0.0


@pytest.mark.parametrize("classifier", ["linear", "rbf", "naive-bayes", "tree"])
def test_every_kind_learns_repeats_and_saves(classifier, tmp_path):
    """A model tells the classes apart on fresh texts, is the same when fitted again, and loads as it was."""
    settings = TextSettings(classifier=classifier)
    model = train_text(EXAMPLES, settings, provenance={"from": "a test"})
    assert model.metadata["cross_validation"]["auc"] > 0.9
    fresh = corpus(seed=3)
    scores = model.scores([example.terms for example in fresh])
    right = (scores >= model.boundary_probability) == [example.label is P for example in fresh]
    assert right.mean() > 0.85
    model.save(tmp_path / "a")
    train_text(EXAMPLES, settings, provenance={"from": "a test"}).save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert TextModel.load(tmp_path / "a").metadata["provenance"] == {"from": "a test"}


def test_probabilities_are_calibrated():
    """Of the fresh texts scored around p, about the share p is positive."""
    random = Random(0)
    topics = ["bird" if random.random() < share else "train" for share in [0.8, 0.2] * 150]
    noisy = [Example(text(random, topic), (P, N)[i % 2]) for i, topic in enumerate(topics)]
    model = train_text(noisy[:200])
    scores = model.scores([example.terms for example in noisy[200:]])
    truth = np.array([example.label is P for example in noisy[200:]])
    assert abs(scores.mean() - truth.mean()) < 0.12
    assert ((scores - truth) ** 2).mean() < 0.23


def test_groups_stay_together():
    """Figures are not flattered by near copies: with groups, a copy is never in another fold."""
    random = Random(4)
    made = []
    for i in range(24):
        same = text(random, "any", 30) | {f"mark{i}": 5}
        made += [Example(same, P if i % 2 else N, group=f"site {i}")] * 4
    apart = train_text([Example(e.terms, e.label) for e in made]).metadata["cross_validation"]
    together = train_text(made).metadata["cross_validation"]
    assert apart["auc"] > 0.95
    assert together["auc"] < 0.8


def test_learning_from_positive_and_unlabelled():
    """Among unlabelled texts the positives are told from the rest, though no negative was given."""
    topics = ["bird"] * 20 + ["train", "stone", "king"] * 20
    examples = corpus(25, 0, topics)
    model = train_text(examples, TextSettings(pu=True))
    said = model.decision([e.terms for e in examples[25:]]) >= 0
    assert said[:20].mean() > 0.8
    assert said[20:].mean() < 0.1
    assert model.metadata["trained_on"]["negative"] <= 64
    assert any("lower bound" in note for note in model.metadata["notes"])


BAD = {
    "nothing": ([], {}),
    "one class": (corpus(5, 0), {}),
    "no positive": (corpus(0, 5), {}),
    "no unlabelled": (corpus(5, 5), {"pu": True}),
    "no words": ([Example({}, P), Example({}, N)], {}),
    "all the same": ([Example({"a": 1}, P), Example({"a": 1}, N)], {}),
    "other fields": ([Example({"x": {"a": 1}}, P), Example({"x": {"b": 1}}, N)], {"fields": ("title",)}),
}


@pytest.mark.parametrize(("examples", "changes"), BAD.values(), ids=BAD.keys())
def test_examples_that_teach_nothing_are_refused(examples, changes):
    """What cannot be learnt from is refused with what to do instead."""
    with pytest.raises(InputError, match=r"[Gg]ive|[Nn]ame|[Aa]re they"):
        train_text(examples, TextSettings(**changes))


@pytest.mark.parametrize("classifier", ["linear", "rbf", "naive-bayes", "tree"])
def test_two_examples_are_enough_for_a_model_with_a_note(classifier):
    """One page of each class gives a model that says itself that it is not validated."""
    examples = [Example({"bird": 2, "wing": 1}, P), Example({"train": 1, "rail": 1}, N)]
    model = train_text(examples, TextSettings(classifier=classifier, min_leaf=1))
    assert model.metadata["cross_validation"] is None
    assert any("too few" in note for note in model.metadata["notes"])
    bird, train = model.scores([{"bird": 1, "wing": 1}, {"train": 1, "rail": 1}])
    assert bird >= train


def test_some_empty_texts_are_noted():
    """Empty examples do not hurt; the model's notes count them."""
    model = train_text([*corpus(), Example({}, N), Example({}, P)])
    assert "2 examples have no words" in model.metadata["notes"]


def test_metadata_is_plain_data():
    """Everything in the metadata can be printed as JSON."""
    assert b"cross_validation" in msgspec.json.encode(train_text(EXAMPLES).metadata)


@pytest.mark.shared("webs/wikischools")
def test_real_pages_about_birds_are_told_apart():
    """On a real web a classifier of ten bird pages and forty others ranks the birds above the rest."""
    web = SHARED / "webs" / "wikischools"
    with (web / "labels.csv").open() as file:
        birds = {row["url"] for row in csv.DictReader(file) if row["topic"] == "birds"}
    found: dict[bool, list[dict[str, int]]] = {True: [], False: []}
    with (web / "pages.warc.gz").open("rb") as file:
        for i, record in enumerate(ArchiveIterator(file, parse_http=True)):
            bird = record.headers["WARC-Target-URI"] in birds
            if i % (3 if bird else 25) == 0:
                body = LexborHTMLParser(record.reader.read()).body
                found[bird].append(count_terms(body.text(separator=" ") if body else ""))
    model = train_text(
        [Example(terms, P) for terms in found[True][:10]] + [Example(terms, N) for terms in found[False][:40]]
    )
    rest = found[True][10:] + found[False][40:]
    truth = np.arange(len(rest)) < len(found[True]) - 10
    assert area_under_roc(truth, model.decision(rest)) > 0.95
