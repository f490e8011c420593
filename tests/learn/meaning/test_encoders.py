"""Sentence encoders: a small made-up model, damaged ones, and a crawl that uses one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from lycosa.collection.collection import Collection
from lycosa.errors import ModelError
from lycosa.learn.judges.version import Scorer, load_version
from lycosa.learn.meaning import encoders
from lycosa.learn.meaning.bert import BertEncoder
from lycosa.learn.meaning.encoders import AUTO, NONE, encoder_folder
from lycosa.learn.meaning.vectors import lead_vector, packed_vector
from lycosa.testing import Site
from tests.crawling import TOPIC, crawl, small_web, spec_text

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "owl", "##s", "night", "ship", "hunt", "##ing", "the", "日"]
SIZE, LAYERS, INNER = 8, 2, 16


def tensors() -> dict[str, np.ndarray]:
    """Weights drawn at random, in the names that BERT gives them."""
    random = np.random.default_rng(7)

    def drawn(*shape: int) -> np.ndarray:
        return (random.standard_normal(shape) / 4).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": drawn(len(WORDS), SIZE),
        "embeddings.position_embeddings.weight": drawn(16, SIZE),
        "embeddings.token_type_embeddings.weight": drawn(2, SIZE),
    }
    normal = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            found[f"{at}.attention.self.{part}.weight"] = drawn(SIZE, SIZE)
            found[f"{at}.attention.self.{part}.bias"] = drawn(SIZE)
        for name, shape in (
            ("attention.output.dense", (SIZE, SIZE)),
            ("intermediate.dense", (INNER, SIZE)),
            ("output.dense", (SIZE, INNER)),
        ):
            found[f"{at}.{name}.weight"], found[f"{at}.{name}.bias"] = drawn(*shape), drawn(shape[0])
        normal += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
    for name in normal:
        found[f"{name}.weight"], found[f"{name}.bias"] = 1 + drawn(SIZE), drawn(SIZE)
    return found


def write_model(folder: Path, **config: object) -> Path:
    """A folder as sentence-transformers writes it."""
    folder.mkdir()
    header, data = {}, b""
    for name, values in tensors().items():
        end = len(data) + values.nbytes
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(data), end]}
        data += values.tobytes()
    told = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(told).to_bytes(8, "little") + told + data)
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    about = {
        "model_type": "bert",
        "hidden_size": SIZE,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "max_position_embeddings": 16,
    }
    (folder / "config.json").write_text(json.dumps(about | config))
    return folder


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "model")


def test_vectors_are_those_of_the_reference(model):
    """As PyTorch 2 computes them from these weights, with its own attention: mean of the last layer, at length 1."""
    encoder = BertEncoder(model)
    assert encoder.encode("Owls hunting, the night!") == pytest.approx(REFERENCE, abs=1e-5)
    assert encoder.encode("") == pytest.approx(np.zeros(SIZE))
    assert encoder.encode("owl " * 500) == pytest.approx(encoder.encode("owl " * 50))


REFERENCE = [0.351629, 0.382199, 0.099961, 0.004769, -0.203926, -0.18577, 0.199058, -0.777525]


def test_texts_are_packed_with_little_loss():
    vectors = np.random.default_rng(1).standard_normal((50, 384))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    packed = np.array([lead_vector(packed_vector(vector)) for vector in vectors])
    assert np.abs(packed @ packed.T - vectors @ vectors.T).max() < 0.01


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", b"{}"),
        (
            "config.json",
            b'{"model_type": "gpt", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}',
        ),
        ("model.safetensors", b""),
        ("model.safetensors", b"\xff" * 100),
        ("model.safetensors", (40).to_bytes(8, "little") + b'{"a":{"dtype":"F32","shape":[9],"data_offs'),
        ("vocab.txt", b"owl"),
        ("vocab.txt", b"\xff\xfe"),
    ],
)
def test_a_damaged_model_is_refused_in_a_sentence(model, name, content):
    (model / name).write_bytes(content)
    with pytest.raises(ModelError, match="no sentence encoder that can be read"):
        BertEncoder(model)


def test_a_pipe_is_no_model(model):
    (model / "model.safetensors").unlink()
    os.mkfifo(model / "model.safetensors")
    with pytest.raises(ModelError, match="a device or pipe"):
        BertEncoder(model)


def test_other_weights_than_published_are_refused(model, monkeypatch, tmp_path):
    """A package of the same name that somebody else uploaded."""
    package = tmp_path / "made_up_encoder"
    package.mkdir()
    (package / "__init__.py").write_text("")
    model.rename(package / "model")
    monkeypatch.setattr(encoders, "PACKAGE", "made_up_encoder")
    monkeypatch.syspath_prepend(tmp_path)
    assert encoder_folder(AUTO, "german", tmp_path) == encoder_folder(NONE, "english", tmp_path) == ""
    with pytest.raises(ModelError, match="other weights than its makers published"):
        encoder_folder(AUTO, "english", tmp_path)


def test_a_crawl_stores_and_uses_what_pages_mean(model, tmp_path):
    """Also of pages that are judged later from the catalogue."""
    sections = TOPIC | {"judge": {"kind": "topic", "meaning": str(model)}, "limits": {"pages": 40}}
    with Site(small_web(4, 12)) as site:
        crawl(spec_text(site, ["http://h0.test/"], **sections), tmp_path / "crawl")
    with Collection.open(tmp_path / "crawl") as collection:
        pages = list(collection.reader.terms())
        version = load_version(tmp_path / "crawl" / "models", collection.reader.judge_version())
    assert {len(page.terms.meaning) for page in pages} == {SIZE}
    assert version.given == "keywords, meaning"
    assert len(version.meaning) == 4 * SIZE
    scorer = Scorer(version)
    told = [scorer.reasons(page.terms) for page in pages]
    assert all(one.meant for one in told)
    assert [sum(part for _, part in (*one.words, *one.more)) for one in told] == pytest.approx(
        [one.score for one in told]
    )
