"""Batches: collect the questions of several threads, so that a model computes them together.

    gathering = Gathering(models)
    with gathering.member():  # in each thread
        chunk(document, models=gathering.models)

A strategy calls a model as usual, and its thread waits for the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Condition, get_ident
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from docxchunk.model.ports import (
    Completer,
    Embedder,
    Models,
    Question,
    Scorer,
    Wrapper,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_M = TypeVar("_M", bound=Embedder | Scorer | Completer)

FULL: Final = 1 << 18
"""Characters at which a batch is computed although some threads have not asked yet."""

_Compute = Callable[[Sequence[object]], Sequence[object]]


class _Ticket(NamedTuple):
    """The questions of one thread, and later their answers or the error."""

    compute: _Compute
    questions: Sequence[object]
    size: int
    answers: Future[Sequence[object]]


class Gathering:
    """Compute a batch when every member thread waits, or when `full` characters are pending. One of
    the waiting threads computes for all.

    A call from another thread is computed at once. A thread that waits for a completer does not
    delay the others, because completers send concurrent requests themselves. If a batch fails, the
    questions of each thread are computed again, apart from the others, so that only the failing
    ones raise.
    """

    def __init__(self, models: Models, full: int = FULL) -> None:
        self._full = full
        self._members = set[int]()  # ids of threads
        self._away = 0
        self._tickets: list[_Ticket] = []
        self._busy = False
        self._changed = Condition()
        self.models = Models(
            models.embedder and _BatchedEmbedder(models.embedder, self),
            models.scorer and _BatchedScorer(models.scorer, self),
            models.completer and _BatchedCompleter(models.completer, self),
        )

    @contextmanager
    def member(self) -> Iterator[Models]:
        """Make the current thread a member for the duration of the block, which has no other such
        block in it.

        The other members wait for its questions, so it must not block on anything but the models.
        """
        me = get_ident()
        with self._changed:
            self._members.add(me)
        try:
            yield self.models
        finally:
            with self._changed:
                self._members.remove(me)
                self._changed.notify_all()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Let batches start without this thread for the duration of the block."""
        step = 1 if get_ident() in self._members else 0
        with self._changed:
            self._away += step
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._away -= step

    def ask(self, compute: _Compute, questions: Sequence[object], size: int) -> Sequence[object]:
        """Return `compute(questions)`. The call may also get the questions of other threads."""
        if get_ident() not in self._members or not questions:
            return compute(questions)
        ticket = _Ticket(compute, questions, size, Future())
        with self._changed:
            self._tickets.append(ticket)
            while not ticket.answers.done():
                if self._is_due():
                    self._work()
                else:
                    self._changed.wait()
        return ticket.answers.result()

    def _is_due(self) -> bool:
        if self._busy or not self._tickets:
            return False
        return (
            len(self._tickets) >= len(self._members) - self._away
            or sum(ticket.size for ticket in self._tickets) >= self._full
        )

    def _work(self) -> None:
        """Answer all tickets. The caller holds the lock, which is released during the
        computation.
        """
        tickets, self._tickets, self._busy = self._tickets, [], True
        self._changed.release()
        try:
            # an order independent of timing: floats depend on the neighbours in a batch
            tickets.sort(key=lambda ticket: repr(ticket.questions))
            for compute in dict.fromkeys(ticket.compute for ticket in tickets):
                _answer([ticket for ticket in tickets if ticket.compute == compute])
        except BaseException as error:
            for ticket in tickets:
                if not ticket.answers.done():
                    ticket.answers.set_exception(error)
            raise
        finally:
            self._changed.acquire()
            self._busy = False
            self._changed.notify_all()


def _answer(tickets: Sequence[_Ticket]) -> None:
    """Answer all tickets in one call. If it fails, answer each in a call of its own."""
    try:
        answers = iter(
            tickets[0].compute([question for ticket in tickets for question in ticket.questions])
        )
        per_ticket = [[next(answers) for _ in ticket.questions] for ticket in tickets]
    except Exception as error:  # noqa: BLE001 - raised in the thread that asked, not in the one that computed
        if len(tickets) == 1:
            tickets[0].answers.set_exception(error)
            return
        for ticket in tickets:
            _answer([ticket])
    else:
        for ticket, own_answers in zip(tickets, per_ticket, strict=True):
            ticket.answers.set_result(own_answers)


class _Gathered(Wrapper[_M]):
    """A model whose questions are gathered into batches; the base class for each kind of model."""

    def __init__(self, inner: _M, gathering: Gathering) -> None:
        super().__init__(inner)
        self._gathering = gathering


class _BatchedEmbedder(_Gathered[Embedder]):
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        rows = self._gathering.ask(self._inner.embed, texts, sum(map(len, texts)))  # type: ignore[arg-type]
        return np.asarray(rows, np.float32)


class _BatchedScorer(_Gathered[Scorer]):
    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        return list(self._gathering.ask(self._inner.score, questions, sum(map(_size, questions))))  # type: ignore[arg-type]


class _BatchedCompleter(_Gathered[Completer]):
    def complete(self, prompts: Sequence[str]) -> list[str]:
        with self._gathering.away():
            return self._inner.complete(prompts)


def _size(question: Question) -> int:
    return sum(len(part) for part in question if isinstance(part, str))
