"""Cached answers: a second run computes nothing, an edited document only its changes."""

from __future__ import annotations

import pickle
import sqlite3
from pathlib import Path

import pytest

np = pytest.importorskip("numpy", reason="the extra semantic is not installed")

from damage import damaged, damages  # noqa: E402
from examples import some  # noqa: E402
from hypothesis import HealthCheck, given, settings  # noqa: E402
from lab.scripted import HashCompleter, HashEmbedder, HashScorer  # noqa: E402 - where it is installed

import docxchunk  # noqa: E402
from docxchunk.backends.cache import (  # noqa: E402
    CachedCompleter,
    CachedDescriber,
    CachedEmbedder,
    CachedScorer,
    Deferred,
    Store,
    cache_folder,
)
from docxchunk.model.ports import (  # noqa: E402
    Bill,
    Choices,
    Costs,
    Endings,
    Losses,
    Models,
    Picture,
)

QUESTIONS = [
    Losses("a b", (1, 3)),
    Losses("a b", (3,)),
    Losses("a b", (3,), "before"),
    Endings("a b", (3,), "Go on."),
    Choices("Go on.", ("1", "2")),
]


def deferred(model):
    """Return a deferred model that counts its costs."""
    port = next(name for name in ("embed", "score", "complete") if hasattr(model, name))
    bill, ask = Bill(), getattr(model, port)

    def answers(asked):
        bill.add(Costs(1, len(asked), len(asked), 10, 0.5))
        return ask(asked)

    class Billed:
        name, fingerprint = model.name, model.fingerprint

        @property
        def costs(self):
            return bill.costs

    setattr(Billed, port, staticmethod(answers))
    return Deferred(model.name, model.fingerprint, Billed)


class Memory:
    """A store that keeps nothing on disk."""

    def __init__(self):
        self.answers = {}

    def get(self, keys):
        return list(map(self.answers.get, keys))

    def put(self, pairs):
        self.answers |= dict(pairs)


@pytest.fixture(params=["memory", "disk"])
def kept(request, tmp_path):
    if request.param == "memory":
        return Memory()
    pytest.importorskip("diskcache", reason="no extra that keeps answers is installed")
    return Store(tmp_path / "models")


@pytest.fixture
def on_disk(tmp_path):
    pytest.importorskip("diskcache", reason="no extra that keeps answers is installed")
    return Store(tmp_path / "models")


def listed(answers):
    return np.asarray(answers).tolist() if isinstance(answers, np.ndarray) else answers


def test_a_second_run_computes_nothing_and_loads_nothing(kept):
    cases = [
        (CachedEmbedder, "embed", HashEmbedder(), ["one text", "another", "a\ud800"]),
        (CachedScorer, "score", HashScorer(), QUESTIONS),
        (CachedCompleter, "complete", HashCompleter(), ["one prompt", "another"]),
    ]
    for cached, port, model, asked in cases:
        first = cached(deferred(model), kept)
        answers = getattr(first, port)(asked)
        assert listed(answers) == listed(getattr(model, port)(asked))
        assert first.costs == Costs(1, len(asked), len(asked), 10, 0.5)
        second = cached(
            Deferred(model.name, model.fingerprint, lambda: pytest.fail("the model was loaded")),
            kept,
        )
        assert listed(getattr(second, port)(asked)) == listed(answers)
        assert second.costs == Costs(calls=1, asked=len(asked))


def test_after_an_edit_only_changed_sections_are_computed(kept, tmp_path):
    pages = [
        " ".join(
            f"Section {n} says this in line {k}. It goes on. The tank {n} is full."
            for k in range(4)
        )
        for n in range(6)
    ]

    def run(name):
        made = CachedEmbedder(deferred(HashEmbedder()), kept)
        file = tmp_path / f"{name}.md"
        file.write_text("\n\n".join(pages), "utf-8")
        docxchunk.chunk(file, strategy="V", models=Models(made))
        return made.costs

    whole = run("first")
    assert whole.computed == whole.asked > 60
    assert run("second").computed == 0
    pages[3] = pages[3].replace("in line 2", "in the second line")
    edited = run("third")
    assert edited.asked == whole.asked
    assert 0 < edited.computed <= 3  # the windows that hold the sentence


def test_an_unusable_cache_is_ignored(tmp_path, caplog):
    pytest.importorskip("diskcache", reason="no extra that keeps answers is installed")
    (tmp_path / "file").write_text("in the way")
    made = CachedScorer(deferred(HashScorer()), Store(tmp_path / "file"))
    assert made.score(QUESTIONS) == HashScorer().score(QUESTIONS)
    assert "cannot be read" in caplog.text


@settings(max_examples=some(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damages)
def test_law_damaged_answers_are_computed_again(on_disk, tmp_path, damage):
    """No answer is another one, and the next ones are kept."""
    pairs = [(bytes([number]) * 20, bytes(range(number))) for number in range(50)]
    on_disk.put(pairs)
    on_disk._cache.close()
    with damaged(tmp_path / "models", damage):
        store = Store(tmp_path / "models")
        for answer, (_, value) in zip(store.get([key for key, _ in pairs]), pairs, strict=True):
            assert answer in (None, value)
        store.put(pairs)
        assert store.get([key for key, _ in pairs]) == [value for _, value in pairs]
        store._cache.close()


def test_pickles_in_the_cache_are_not_loaded(on_disk, tmp_path):
    ran = tmp_path / "ran"

    class Harm:
        def __reduce__(self):
            return Path.touch, (ran,)

    on_disk.put([(b"key", b"value")])
    on_disk._cache.close()
    with sqlite3.connect(tmp_path / "models" / "cache.db") as database:
        database.execute("UPDATE Cache SET mode = 4, value = ?", (pickle.dumps(Harm()),))
    database.close()
    assert Store(tmp_path / "models").get([b"key"]) == [None]
    assert not ran.exists()


def test_the_cache_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.delenv("DOCXCHUNK_CACHE", raising=False)
    assert "docxchunk" in cache_folder().parts
    monkeypatch.setenv("DOCXCHUNK_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"


def test_a_picture_is_known_by_its_bytes_and_by_what_is_said_of_it():
    asked = []

    class Eye:
        name = fingerprint = "eye"

        def describe(self, pictures):
            asked.extend(pictures)
            return [f"{picture.data!r}, {picture.about}" for picture in pictures]

    made = CachedDescriber(Deferred("eye", "eye", Eye), Memory())
    pictures = [Picture(b"1", "image/png", about) for about in ("a", "b", "a")]
    pictures.append(Picture(b"2", "image/png", "a"))
    for _ in range(2):
        assert made.describe(pictures) == ["b'1', a", "b'1', b", "b'1', a", "b'2', a"]
    assert len(asked) == 3


def test_an_interrupted_run_keeps_its_answers(kept):
    """Answers are stored in portions; those computed before the interruption are kept."""
    asked = []

    class Interrupted(HashCompleter):
        def complete(self, prompts):
            asked.extend(prompts)
            if "prompt 7" in prompts[-1]:
                raise KeyboardInterrupt
            return super().complete(prompts)

    class Patient(CachedCompleter):
        _portion = 30

    prompts = [f"this is prompt {number}" for number in range(10)]
    with pytest.raises(KeyboardInterrupt):
        Patient(Deferred("m", "m", Interrupted), kept).complete(prompts)
    assert asked == prompts[:8]
    second = deferred(HashCompleter())
    again = Patient(Deferred("m", "m", lambda: second.model), kept)
    assert again.complete(prompts) == HashCompleter().complete(prompts)
    assert second.costs.asked == 3


def test_answers_with_nan_are_not_stored(kept):
    class Broken(HashScorer):
        def score(self, questions):
            return [(float("nan"),) * len(answer) for answer in super().score(questions)]

    class BrokenEmbedder(HashEmbedder):
        def embed(self, texts):
            return super().embed(texts) * np.float32("inf")

    assert np.isnan(CachedScorer(Deferred("m", "m", Broken), kept).score(QUESTIONS)[0]).all()
    assert CachedScorer(Deferred("m", "m", HashScorer), kept).score(
        QUESTIONS
    ) == HashScorer().score(QUESTIONS)
    with np.errstate(invalid="ignore"):
        assert np.isinf(CachedEmbedder(Deferred("e", "e", BrokenEmbedder), kept).embed(["a"])).any()
    assert np.isfinite(CachedEmbedder(Deferred("e", "e", HashEmbedder), kept).embed(["a"])).all()
