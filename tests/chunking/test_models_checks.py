"""Invalid answers of models: the error names the strategy, the model and the text."""

from __future__ import annotations

import re
from math import inf, nan

import numpy as np
import pytest
from chunking.makers import WORDS
from chunking.test_laws import ASKING, VARIANTS, needs
from lab.asked import METHODS, GivenCompleter, models_of, plain_text
from lab.scripted import MODELS, HashEmbedder, HashScorer

from docxchunk.chunking import ChunkLimits, run
from docxchunk.chunking.models import checked, models_by_port, required_model
from docxchunk.errors import MissingModelError, ModelError
from docxchunk.model.ports import Choices, Endings, Losses, Models

TEXT = "\n".join(
    f"Paragraph {number} says this of the water. And it says that of the roof."
    for number in range(40)
)
WRONG = [nan, inf, -inf]
SCORED = [strategy for strategy in [*ASKING, *VARIANTS] if "scorer" in strategy.values[0].models]
EMBEDDED = [
    strategy for strategy in [*ASKING, *VARIANTS] if "embedder" in strategy.values[0].models
]


class BadScorer(HashScorer):
    """A scorer with the same number for every question."""

    name = fingerprint = "test:bad"

    def __init__(self, value):
        self.value = value

    def score(self, questions):
        return [(self.value,) * len(answer) for answer in super().score(questions)]


class OnceBad(HashScorer):
    """A scorer with one invalid number in each answer."""

    name = fingerprint = "test:bad"

    def score(self, questions):
        return [(*answer[:-1], nan) for answer in super().score(questions)]


class BadEmbedder(HashEmbedder):
    """An embedding model whose last vector is invalid."""

    name = fingerprint = "test:bad"

    def __init__(self, value):
        self.value = value

    def embed(self, texts):
        vectors = super().embed(texts)
        vectors[-1:, 3] = self.value
        return vectors


def asked(strategy, models):
    return run(plain_text(TEXT), strategy, ChunkLimits(200), WORDS, models)


@pytest.mark.parametrize("strategy", SCORED)
@pytest.mark.parametrize(
    "scorer", [*map(BadScorer, WRONG), OnceBad()], ids=["nan", "inf", "-inf", "once"]
)
def test_invalid_scores_are_refused(strategy, scorer):
    needs(strategy)
    with pytest.raises(
        ModelError,
        match=f"^{strategy.name.replace('+', '.')} asked the model "
        "test:bad about .*(Paragraph|roof|water).*overflow",
    ):
        asked(strategy, Models(MODELS.embedder, scorer, MODELS.completer))


@pytest.mark.parametrize("strategy", EMBEDDED)
@pytest.mark.parametrize("value", WRONG)
def test_invalid_vectors_are_refused(strategy, value):
    needs(strategy)
    with pytest.raises(
        ModelError,
        match=f"^{strategy.name} asked the model test:bad about .* "
        "and got a vector that is not finite",
    ):
        asked(strategy, Models(BadEmbedder(value), MODELS.scorer, MODELS.completer))


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        (Losses("One. Two.", (4, 9)), (inf, 1.0), ""),
        (Losses("One. Two.", (4, 9)), (1.0, inf), '"Two."'),
        (Losses("One. Two.", (4, 9), before="Zero."), (inf, 1.0), '"One."'),
        (Losses("One. Two.", (4, 9)), (1.0, -inf), '"Two."'),
        (Losses("One. Two.", (4, 9)), (nan, 1.0), '"One."'),
        (Losses("One. Two.", (4, 9)), (1.0,), "1 numbers instead of 2"),
        (Losses("", ()), (), ""),
        (Endings("One. Two.", (4, 9), "Go on."), (-inf, -1.0), ""),
        (
            Endings("One. Two.", (4, 9), "Go on."),
            (-inf, -inf),
            "a probability of zero for every choice",
        ),
        (Choices("Yes?", ("1", "2")), (-inf, -1.0), ""),
        (Choices("Yes?", ("1", "2")), (-1.0, inf), '"Yes[?]" and got'),
        (
            Choices("Yes?", ("1", "2")),
            (-inf, -inf),
            '"Yes[?]" and got a probability of zero for every choice',
        ),
    ],
)
def test_infinite_scores(question, answer, said):
    class Given:
        name = fingerprint = "test:given"

        def score(self, _):
            return [answer]

    scorer = checked(Models(scorer=Given()), "PPL").scorer
    if said:
        with pytest.raises(ModelError, match=said):
            scorer.score([question])
    else:
        assert scorer.score([question]) == [answer]


@pytest.mark.parametrize(
    ("port", "question", "answer"),
    [
        ("embedder", "a bc", [1.0, 0.0]),
        ("scorer", Choices("Yes?", ("1", "2")), (-1.0, -2.0)),
        ("completer", "a bc", "b"),
    ],
)
@pytest.mark.parametrize("count", range(4))
def test_answers_are_counted(port, question, answer, count):
    class Given:
        name = fingerprint = "test:given"

        def embed(self, _):
            return np.array([answer] * count, np.float32).reshape(count, 2)

        def score(self, _):
            return [answer] * count

        complete = score

    heard = []
    model = getattr(checked(models_of(Given()), "V", lambda *said: heard.append(said)), port)
    ask = getattr(model, METHODS[port])
    if count == 2:
        assert len(ask([question] * 2)) == 2
        assert heard == [(port, 2 * 4)]  # characters
    else:
        with pytest.raises(
            ModelError, match=f"V asked the model test:given 2 questions and got {count} answers"
        ):
            ask([question] * 2)
        assert not heard


@pytest.mark.parametrize(
    ("prompt", "quoted"),
    [
        ("Why?  And\nhow?", "Why? And how?"),
        ("a" * 60 + "b" * 60, "a" * 60 + "b" * 60),
        ("a" * 60 + "-" + "b" * 60, "a" * 60 + " ... " + "b" * 60),
    ],
)
def test_an_answer_of_a_completer_is_a_text(prompt, quoted):
    model = checked(models_of(GivenCompleter(lambda prompt: None)), "V").completer
    with pytest.raises(
        ModelError, match=f'about "{re.escape(quoted)}" and got a NoneType instead of a text'
    ):
        model.complete([prompt])


@pytest.mark.parametrize(
    ("port", "needed"),
    [
        ("embedder", "an embedding model: "),
        ("scorer", "a causal language model: "),
        ("completer", "a language model that writes text: "),
    ],
)
def test_a_model_that_is_missing_is_named(port, needed):
    with pytest.raises(MissingModelError, match=f"^This strategy needs {needed}"):
        models_by_port(Models(), [port])
    with pytest.raises(MissingModelError, match=f"^The search needs {needed}"):
        required_model(None, port, "The search")
    given = GivenCompleter(str)
    assert models_by_port(Models(**{port: given}), [port]) == {port: given}
    assert models_by_port(Models(**{port: given}), []) == {}
