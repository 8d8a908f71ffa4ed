"""Models of fastembed, in a small ONNX model that the test makes: each word has its own vector, and
the vector of a text is their mean.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from docxchunk.backends import loading
from docxchunk.backends.loading import ModelChoice, models
from docxchunk.errors import ModelError, UsageError
from docxchunk.model.ports import prompts, reads

pytest.importorskip("fastembed", reason="the extra embed is not installed", exc_type=ImportError)
onnx = pytest.importorskip("onnx", reason="onnx is not installed", exc_type=ImportError)

WORDS = ("[PAD]", "[UNK]", "fee", "rent", "is", "due")


def write_model(folder, name="bge-small-en-toy"):
    """Write an ONNX model with its tokenizer, as a folder of the hub has them."""
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder = folder / name
    folder.mkdir()
    vectors = np.eye(len(WORDS), dtype=np.float32)
    node = helper.make_node("Gather", ["vectors", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph(
        [node],
        "toy",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [None, None, 6])],
        [numpy_helper.from_array(vectors, "vectors")],
    )
    opset = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), folder / "model.onnx")
    tokenizer = Tokenizer(models.WordLevel(dict(zip(WORDS, range(6), strict=True)), "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    for file, content in {
        "config.json": {"hidden_size": 6, "pad_token_id": 0},
        "tokenizer_config.json": {"pad_token": "[PAD]", "model_max_length": 4},
        "special_tokens_map.json": {"pad_token": "[PAD]", "unk_token": "[UNK]"},
    }.items():
        (folder / file).write_text(json.dumps(content))
    return folder


@pytest.fixture
def embedder(tmp_path):
    return models(ModelChoice(str(write_model(tmp_path)), cache=False), ("embedder",)).embedder


def test_the_vector_of_a_text_is_the_normalized_mean_of_its_words(embedder):
    vectors = embedder.embed(["fee is due", "rent", "fee fee", ""])
    expected = np.zeros((4, 6))
    expected[0, [2, 4, 5]] = 3**-0.5
    expected[1, 3] = expected[2, 2] = 1
    assert vectors[:3] == pytest.approx(expected[:3], abs=1e-6)
    assert embedder.embed(["rent"] * 9 + ["fee is due"])[9] == pytest.approx(vectors[0], abs=1e-6)


def test_only_the_window_of_a_long_text_is_read(embedder):
    first = embedder.embed(["fee fee fee fee rent rent"])
    assert first[0, 3] == 0
    assert (embedder.window, embedder.count("fee is due")) == (4, 3)
    assert embedder.costs.cut == 1


def test_the_model_tells_its_prompts_and_what_it_reads(embedder):
    assert prompts(embedder).question.startswith("Represent this sentence")
    assert reads(embedder, "fee is due")
    assert not reads(embedder, "договор")


def test_names_of_the_hub(monkeypatch, tmp_path):
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    choice = ModelChoice("BAAI/bge-small-en-v1.5", cache=False)
    with pytest.raises(ModelError, match="is not in the cache of the hub"):
        models(choice, ("embedder",)).embedder.embed(["fee"])
    monkeypatch.setattr(loading, "find_spec", lambda name: name == "fastembed" or None)
    with pytest.raises(UsageError, match="fastembed has no model someone/else"):
        models(ModelChoice("someone/else"), ("embedder",))
