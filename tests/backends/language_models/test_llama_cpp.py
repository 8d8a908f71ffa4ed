"""Models in llama.cpp: a library in Python stands in for it."""

from __future__ import annotations

import hashlib
import sys
from ctypes import c_float, c_int32
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra llm is not installed")

from hypothesis import given
from hypothesis import strategies as st

from docxchunk.backends.language_models import llama_cpp
from docxchunk.backends.language_models.sequences import ScoredSequence
from docxchunk.backends.loading import ModelChoice, models
from docxchunk.errors import MissingExtraError, MissingModelError, ModelError

SIZE = 50


def logits_after(ids):
    seed = int.from_bytes(hashlib.sha256(repr(tuple(ids)).encode()).digest()[:8])
    return np.random.default_rng(seed).normal(size=SIZE).astype(np.float32)


class FakeLibrary:
    """The functions of llama.cpp that are used. The logits after a token are drawn from all tokens
    up to it, so that a lost or stale token shows.
    """

    llama_token = c_int32

    def __init__(self, context=64):
        self.context, self.cells, self.rows, self.fails = context, [], {}, False
        self.llama_vocab_n_tokens = lambda _: SIZE
        self.llama_vocab_eos = self.llama_vocab_eot = lambda _: 3
        self.llama_model_default_params = self.llama_context_default_params = SimpleNamespace
        self.llama_model_load_from_file = self.llama_init_from_model = lambda *_: self
        self.llama_model_get_vocab = self.llama_get_memory = lambda _: self
        self.llama_model_n_ctx_train = lambda _: self.context

    def llama_batch_init(self, size, _, __):
        return SimpleNamespace(
            **{name: [0] * size for name in ("token", "pos", "n_seq_id", "logits")},
            seq_id=[[0] for _ in range(size)],
        )

    def llama_memory_seq_rm(self, _, __, start, ___):
        del self.cells[start:]

    def llama_decode(self, _, batch):
        self.rows = {}
        for number in range(batch.n_tokens):
            assert batch.pos[number] == len(self.cells) < self.context
            self.cells.append(batch.token[number])
            if batch.logits[number]:
                self.rows[number] = logits_after(self.cells)
        return int(self.fails)

    def llama_get_logits_ith(self, _, number):
        return (c_float * SIZE)(*self.rows[number])


@pytest.fixture(name="library")
def fake(monkeypatch):
    library = FakeLibrary()
    monkeypatch.setitem(sys.modules, "llama_cpp", library)
    monkeypatch.setattr(llama_cpp, "_BATCH", 8)
    return library


def expected(passage):
    found = []
    for place, tokens in zip(passage.at, passage.tokens, strict=True):
        logits = logits_after(passage.ids[: place + 1]).astype(float)
        found.append((logits - np.log(np.exp(logits).sum()))[tokens])
    return np.array(found)


@st.composite
def passages(draw):
    """Draw sequences of up to 60 tokens, many with a common prefix."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        ids = tuple(draw(st.lists(st.integers(0, 2), min_size=1, max_size=60)))
        at = sorted(draw(st.sets(st.integers(0, len(ids) - 1), min_size=1, max_size=5)))
        found.append(
            ScoredSequence(ids, np.array(at), np.array([[0, number % SIZE] for number in at]))
        )
    return found


@given(passages())
def test_every_position_is_scored_with_all_tokens_before_it(asked):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "llama_cpp", FakeLibrary())
        patch.setattr(llama_cpp, "_BATCH", 8)
        reader = llama_cpp.QuantizedReader(llama_cpp.QuantizedModel("model.gguf", "cpu"))
        for passage, found in zip(asked, reader.read(asked), strict=True):
            np.testing.assert_allclose(found, expected(passage), rtol=1e-6)
        assert reader.tokens <= sum(len(passage.ids) for passage in asked)


def test_a_long_text_is_read_in_windows_and_never_over_the_context(library):
    reader = llama_cpp.QuantizedReader(llama_cpp.QuantizedModel("model.gguf", "cpu"))
    ids = tuple(np.random.default_rng(1).integers(0, SIZE, 200).tolist())
    (found,) = reader.read([ScoredSequence(ids, np.arange(199), np.array(ids[1:])[:, None])])
    assert found.shape == (199, 1)
    assert library.context == 64
    with pytest.raises(ModelError, match="set beyond=repeat"):
        reader.read([ScoredSequence(ids, np.arange(199), np.array(ids[1:])[:, None], evicts=True)])


def test_after_a_failure_nothing_is_held(library):
    model = llama_cpp.QuantizedModel("model.gguf", "cpu")
    reader = llama_cpp.QuantizedReader(model)
    asked = [ScoredSequence((1, 2), np.array([1]), np.array([[0]]))]
    library.fails = True
    with pytest.raises(ModelError, match="cannot read 2 tokens at position 0"):
        reader.read(asked)
    library.fails = False
    np.testing.assert_allclose(reader.read(asked)[0], expected(asked[0]), rtol=1e-6)


def test_what_is_missing_is_said(tmp_path, monkeypatch):
    for package in ("llama_cpp", "gguf"):
        monkeypatch.setitem(sys.modules, package, SimpleNamespace(__spec__=SimpleNamespace()))
    with pytest.raises(MissingModelError, match=r"is no \.gguf file"):
        (tmp_path / "config.json").write_text("{}")
        models(ModelChoice(scorer=f"llama.cpp:{tmp_path}"), ("scorer",))
    monkeypatch.setattr(
        llama_cpp, "needs", lambda name: (_ for _ in ()).throw(ModuleNotFoundError(name, name=name))
    )
    with pytest.raises(MissingExtraError, match=r"docxchunk\[llama-cpp\]"):
        models(ModelChoice(completer="llama.cpp:model.gguf"), ("completer",))


def test_a_context_that_does_not_fit_into_memory_is_an_error(library, tmp_path):
    library.llama_init_from_model = lambda *_: None
    with pytest.raises(ModelError, match=r"cannot hold the model in .* a context of 64 tokens"):
        llama_cpp.QuantizedModel(tmp_path, "cpu")
