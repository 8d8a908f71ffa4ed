"""Models for documents that are worked on in threads of one process: what all threads ask is computed together, so that a model sees full batches.

    gathering = Gathering(models)
    with gathering.member():  # in each thread
        chunk(document, models=gathering.models)

Strategies stay plain: each asks and waits for its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Condition, get_ident
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from docxchunk.backends.costs import Costs
from docxchunk.model.ports import Completer, Embedder, Models, Question, Scorer
from docxchunk.model.wrapping import Windowed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_M = TypeVar("_M", bound=Embedder | Scorer | Completer)

FULL: Final = 1 << 18
"""Characters that are worth a batch although some threads have not asked yet."""

_Compute = Callable[[Sequence[object]], Sequence[object]]


class _Ticket:
    """What one thread asks, and then the answers to it, or why there are none."""

    __slots__ = ("answers", "compute", "failure", "questions", "size")

    def __init__(self, compute: _Compute, questions: Sequence[object], size: int) -> None:
        self.compute, self.questions, self.size = compute, questions, size
        self.answers: Sequence[object] | None = None
        self.failure: BaseException | None = None

    @property
    def is_open(self) -> bool:
        return self.answers is None and self.failure is None


class Gathering:
    """Answers when every member waits, or `full` characters are asked for. One of those who wait computes for all.

    A thread that is no member is answered at once. While a completer writes, the others do not wait for the thread that asked it: completers have requests in
    flight of their own. What is asked together fails apart: if a batch fails, each member's questions are asked again alone.
    """

    def __init__(self, models: Models, full: int = FULL) -> None:
        self._full = full
        self._members: dict[int, int] = {}  # a thread, and how often it is in
        self._away = 0
        self._tickets: list[_Ticket] = []
        self._busy = False
        self._changed = Condition()
        self.models = Models(
            models.embedder and _Embedder(models.embedder, self),
            models.scorer and _Scorer(models.scorer, self),
            models.completer and _Completer(models.completer, self),
        )

    @contextmanager
    def member(self) -> Iterator[Models]:
        """Lets the thread take part until it leaves. Outside of what it asks, it must come to an end: the others wait for it."""
        me = get_ident()
        with self._changed:
            self._members[me] = self._members.get(me, 0) + 1
        try:
            yield self.models
        finally:
            with self._changed:
                self._members[me] -= 1
                if not self._members[me]:
                    del self._members[me]
                self._changed.notify_all()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Nobody waits for this thread."""
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
        """The answers of `compute`, which may be given the questions of others, too."""
        if get_ident() not in self._members or not questions:
            return compute(questions)
        ticket = _Ticket(compute, questions, size)
        with self._changed:
            self._tickets.append(ticket)
            while ticket.is_open:
                if self._is_time():
                    self._work()
                else:
                    self._changed.wait()
        if ticket.failure is not None:
            raise ticket.failure
        return ticket.answers or ()

    def _is_time(self) -> bool:
        if self._busy or not self._tickets:
            return False
        return len(self._tickets) >= len(self._members) - self._away or sum(ticket.size for ticket in self._tickets) >= self._full

    def _work(self) -> None:
        """Answers all tickets; called, and left, with the lock."""
        tickets, self._tickets, self._busy = self._tickets, [], True
        self._changed.release()
        try:
            tickets.sort(key=lambda ticket: repr(ticket.questions))  # whoever came first: floats depend on what is next to what in a batch
            for compute in dict.fromkeys(ticket.compute for ticket in tickets):
                _answer([ticket for ticket in tickets if ticket.compute == compute])
        except BaseException as error:
            for ticket in tickets:
                ticket.failure = ticket.failure or error
            raise
        finally:
            self._changed.acquire()
            self._busy = False
            self._changed.notify_all()


def _answer(tickets: Sequence[_Ticket]) -> None:
    """All in one call; where that fails, each in its own."""
    try:
        answers = iter(tickets[0].compute([question for ticket in tickets for question in ticket.questions]))
        for ticket in tickets:
            ticket.answers = [next(answers) for _ in ticket.questions]
    except Exception as error:  # noqa: BLE001 - whoever asked is to have it, not whoever computed
        if len(tickets) == 1:
            tickets[0].failure = error
            return
        for ticket in tickets:
            ticket.answers = None
            _answer([ticket])


class _Gathered(Generic[_M]):
    """What the three have in common."""

    def __init__(self, inner: _M, gathering: Gathering) -> None:
        self._inner, self._gathering = inner, gathering

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    @property
    def costs(self) -> Costs:
        """Those of the model, for all who ask it."""
        return getattr(self._inner, "costs", Costs())


class _Embedder(_Gathered[Embedder]):
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        rows = self._gathering.ask(self._inner.embed, texts, sum(map(len, texts)))  # type: ignore[arg-type]
        return np.asarray(rows, np.float32)


class _Scorer(_Gathered[Scorer], Windowed):
    def _wrapped(self) -> object:
        return self._inner

    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        return list(self._gathering.ask(self._inner.score, questions, sum(map(_size, questions))))  # type: ignore[arg-type]


class _Completer(_Gathered[Completer]):
    def complete(self, prompts: Sequence[str]) -> list[str]:
        with self._gathering.away():
            return self._inner.complete(prompts)


def _size(question: Question) -> int:
    return sum(len(part) for part in question if isinstance(part, str))
