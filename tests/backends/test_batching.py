"""Questions of concurrent threads are computed in one batch, and each thread gets its own answers."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

np = pytest.importorskip("numpy", reason="the extra semantic is not installed")

from lab.scripted import HashCompleter, HashEmbedder, HashScorer  # noqa: E402 - where it is installed

from docxchunk.backends.batching import Gathering  # noqa: E402
from docxchunk.backends.local_models import batches  # noqa: E402
from docxchunk.errors import ModelError  # noqa: E402
from docxchunk.model.ports import Models  # noqa: E402

LONG = 30.0  # timeout of waiting threads in seconds


class Watched:
    """A model that records its batch sizes and fails on one text."""

    name = fingerprint = "watched"

    def __init__(self):
        self.sizes = []
        self.threads = set()

    def embed(self, texts):
        self.sizes.append(len(texts))
        self.threads.add(threading.get_ident())
        if "bad" in texts:
            raise ModelError("That is bad.")
        return HashEmbedder().embed(texts)

    def score(self, questions):
        self.sizes.append(len(questions))
        return HashScorer().score(questions)


class Together:
    """A model that counts the calls at the same time. The first call lasts until another thread
    asks.
    """

    name = fingerprint = "together"

    def __init__(self):
        self.calls = self.now = self.most = 0
        self.called = threading.Event()
        self.gathering = Gathering(Models(self), full=1)

    def embed(self, texts):
        self.calls += 1
        self.now += 1
        self.most = max(self.most, self.now)
        self.called.set()
        while self.calls == 1:
            with self.gathering._changed:
                if self.gathering._tickets:
                    break
        self.now -= 1
        return HashEmbedder().embed(texts)


def in_threads(gathering, works):
    """Run each function in a member thread; return the results or errors."""
    ready = threading.Barrier(len(works))

    def one(work):
        with gathering.member() as models:
            ready.wait(LONG)
            try:
                return work(models)
            except ModelError as error:
                return str(error)

    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result(LONG) for future in [pool.submit(one, work) for work in works]]


def embedding(*texts):
    return lambda models: models.embedder.embed(texts)


def test_only_the_thread_that_waits_for_a_completer_is_not_waited_for():
    is_away, is_embedded = threading.Event(), threading.Event()

    class Completing(HashCompleter):
        def complete(self, prompts):
            is_away.set()
            assert is_embedded.wait(LONG)
            return super().complete(prompts)

    class Embedding(Watched):
        def embed(self, texts):
            is_embedded.set()
            return super().embed(texts)

    def later(models):
        assert is_away.wait(LONG)
        return models.embedder.embed(["text"])

    model = Embedding()
    in_threads(
        Gathering(Models(model, completer=Completing())),
        [lambda models: models.completer.complete(["prompt"]), later, later],
    )
    assert model.sizes == [2]


def test_questions_of_all_threads_are_one_batch():
    model = Watched()
    works = [
        embedding(*(f"text {number} {part}" for part in range(number + 1))) for number in range(6)
    ]
    found = in_threads(Gathering(Models(model)), works)
    assert model.sizes == [21]
    for number, vectors in enumerate(found):
        assert np.array_equal(
            vectors, HashEmbedder().embed([f"text {number} {part}" for part in range(number + 1)])
        )


def test_batches_do_not_wait_for_a_thread_that_waits_for_a_completer():
    done = threading.Event()

    class Slow(HashCompleter):
        def complete(self, prompts):
            assert done.wait(LONG)
            return super().complete(prompts)

    def embeds(models):
        models.embedder.embed(["a"])
        done.set()

    found = in_threads(
        Gathering(Models(Watched(), completer=Slow())),
        [embeds, lambda models: models.completer.complete(["p"])],
    )
    assert found[1] == HashCompleter().complete(["p"])


def test_a_batch_waits_for_the_end_of_the_one_before():
    model = Together()

    def second(models):
        assert model.called.wait(LONG)
        models.embedder.embed(["b"])

    in_threads(model.gathering, [embedding("a"), second])
    assert (model.calls, model.most) == (2, 1)


def test_an_error_is_raised_in_the_thread_that_asked():
    found = in_threads(
        Gathering(Models(Watched())), [embedding("a"), embedding("bad"), embedding("b", "c")]
    )
    assert found[1] == "That is bad."
    assert [len(found[0]), len(found[2])] == [1, 2]


def test_an_interrupt_of_the_computing_thread_reaches_all_waiting_threads():
    class Broken(Watched):
        def embed(self, _):
            raise KeyboardInterrupt

    def caught(models):
        with pytest.raises(KeyboardInterrupt):
            models.embedder.embed(["a"])

    in_threads(Gathering(Models(Broken())), [caught, caught, caught])


def test_a_thread_that_is_not_a_member_is_answered_at_once():
    model = Watched()
    gathering = Gathering(Models(model))
    with gathering.member(), ThreadPoolExecutor(1) as pool:
        assert len(pool.submit(gathering.models.embedder.embed, ["a"]).result(LONG)) == 1
    assert len(gathering.models.embedder.embed(["a", "b"])) == 2
    assert (gathering.models.embedder.name, gathering.models.scorer) == ("watched", None)


def test_batches_do_not_depend_on_the_order_of_threads():
    orders = []

    class Ordered(Watched):
        def embed(self, texts):
            orders.append(tuple(texts))
            return super().embed(texts)

    for works in (
        [embedding("a"), embedding("b"), embedding("c")],
        [embedding("c"), embedding("b"), embedding("a")],
    ):
        in_threads(Gathering(Models(Ordered())), works)
    assert orders[0] == orders[1]


@given(st.lists(st.integers(1, 300)), st.integers(1, 1000))
def test_batches_hold_every_row_once_and_keep_to_the_budget(lengths, budget):
    made = list(batches(lengths, budget))
    assert sorted(number for batch in made for number in batch) == list(range(len(lengths)))
    assert all(
        len(batch) == 1 or len(batch) * max(lengths[number] for number in batch) <= budget
        for batch in made
    )
