"""Cache model answers on disk, in the cache folder of the user.

The cache key is a hash of the model's fingerprint and the whole question. Answers are stored in
portions as they are computed, so that an interrupted run can continue. Answers with NaN are not
stored. The folder may be deleted at any time.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from docxchunk.model.ports import (
    Bill,
    Completer,
    Costs,
    Describer,
    Embedder,
    Picture,
    Question,
    Scorer,
    Wrapper,
    costs_so_far,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_M = TypeVar("_M", bound=Embedder | Scorer | Completer | Describer)
_Q = TypeVar("_Q")
_R = TypeVar("_R")

SIZE: Final = 4 << 30
"""Size limit of the folder in bytes; beyond it the oldest answers are deleted."""

_CHECKSUM: Final = 8  # bytes
_KEY: Final = 64  # bytes of a key that a checksum takes
_LOG: Final = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Return $DOCXCHUNK_CACHE if set, else the cache folder of the operating system for this
    user.
    """
    named = os.environ.get("DOCXCHUNK_CACHE")
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return Path(user_cache_path("docxchunk", appauthor=False))


class Store:
    """Answers on disk, as bytes by key, each with a checksum. A damaged answer is none, and a
    damaged folder is made anew. If the folder cannot be read or written, a warning is logged, and
    the answers are computed.
    """

    def __init__(self, folder: Path) -> None:
        import sqlite3

        from diskcache import Timeout

        self._folder = folder
        self._troubles = (sqlite3.Error, OSError, Timeout)
        self._damage = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}

    @cached_property
    def _cache(self) -> Any:
        from diskcache import Cache, Disk

        class Bytes(Disk):  # type: ignore[misc]
            """Read only plain bytes: pickles in the folder are never loaded."""

            def fetch(self, mode: int, filename: str, value: bytes, read: object) -> bytes | None:  # noqa: ARG002
                return bytes(value) if mode == 1 and isinstance(value, bytes) else None

        return Cache(str(self._folder), disk=Bytes, size_limit=SIZE, disk_min_file_size=SIZE)

    def get(self, keys: Sequence[bytes]) -> list[bytes | None]:
        def values() -> list[bytes | None]:
            return [_checked_answer(key, self._cache.get(key)) for key in keys]

        return self._tried(values, "read") or [None] * len(keys)

    def put(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        def write() -> None:
            with self._cache.transact(retry=True):
                for key, value in pairs:
                    self._cache.set(key, _checksum(key, value) + value)

        self._tried(write, "written")

    def _tried(self, work: Callable[[], _R], verb: str, *, again: bool = True) -> _R | None:
        """Return the result of some work on the folder; None if it fails. A damaged folder is
        deleted before a second try.
        """
        try:
            return work()
        except self._troubles as error:
            # the primary result code (https://sqlite.org/rescode.html)
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if again and code in self._damage:
                self._delete()
                return self._tried(work, verb, again=False)
            _LOG.warning("The cache at %s cannot be %s (%s).", self._folder, verb, error)
            return None

    def _delete(self) -> None:
        if (cache := vars(self).pop("_cache", None)) is not None:
            cache.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _checksum(key: bytes, value: bytes) -> bytes:
    return blake2b(value, key=key[:_KEY], digest_size=_CHECKSUM).digest()


def _checked_answer(key: bytes, stored: bytes | None) -> bytes | None:
    """Return an answer without its checksum; None if it is not as it was written."""
    if stored is None or stored[:_CHECKSUM] != _checksum(key, stored[_CHECKSUM:]):
        return None
    return stored[_CHECKSUM:]


def store() -> Store | None:
    """Return the store of this user; None if diskcache is not installed."""
    return Store(cache_folder() / "models") if find_spec("diskcache") else None


class Deferred(Generic[_M]):
    """A model that is loaded on first use, and never if all answers are cached. Its name and
    fingerprint are known without loading it.
    """

    def __init__(self, name: str, fingerprint: str, load: Callable[[], _M]) -> None:
        self.name, self.fingerprint = name, fingerprint
        self._load = load
        self._loaded: _M | None = None
        self._lock = Lock()

    @property
    def model(self) -> _M:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    @property
    def costs(self) -> Costs:
        return costs_so_far(self._loaded)


class _Cached(Wrapper[Deferred[_M]]):
    """The base class of the caching wrappers. Without a store, it only loads the model on first use
    and asks a repeated question once.

    Reading `window` or `count` loads the model.
    """

    _portion: ClassVar[int]
    """Characters computed between two writes to the store: a few seconds of work."""

    def __init__(self, inner: Deferred[_M], answers: Store | None) -> None:
        super().__init__(inner)
        self._store, self._bill = answers, Bill()

    @property
    def costs(self) -> Costs:
        """The costs of the model, with the calls and questions that this wrapper received."""
        return replace(
            self._inner.costs, calls=self._bill.costs.calls, asked=self._bill.costs.asked
        )

    def _ask(
        self,
        questions: Sequence[_Q],
        keys: Sequence[str],
        compute: Callable[[Sequence[_Q]], Iterable[bytes]],
    ) -> list[bytes]:
        """Return one answer for each question. `compute` gets the questions that are not cached,
        without duplicates.
        """
        self._bill.add(Costs(1, len(questions)))
        hashes = list(map(self._hash, keys))
        stored = zip(hashes, self._store.get(hashes), strict=True) if self._store else ()
        answers = {key: answer for key, answer in stored if answer is not None}
        missing = {key: number for number, key in enumerate(hashes) if key not in answers}
        sizes = list(map(len, keys))
        for numbers in _portions(list(missing.values()), sizes, self._portion):
            new = dict(
                zip(
                    (hashes[number] for number in numbers),
                    compute([questions[number] for number in numbers]),
                    strict=True,
                )
            )
            if self._store:
                self._store.put([pair for pair in new.items() if self._is_sound(pair[1])])
            answers.update(new)
        return [answers[key] for key in hashes]

    def _ask_texts(
        self,
        questions: Sequence[_Q],
        keys: Sequence[str],
        write: Callable[[Sequence[_Q]], Iterable[str]],
    ) -> list[str]:
        """Return one answer for each question of a model that writes texts; see `_ask`."""
        answers = self._ask(
            questions,
            keys,
            lambda part: (text.encode("utf-8", "surrogatepass") for text in write(part)),
        )
        return [answer.decode("utf-8", "surrogatepass") for answer in answers]

    def _is_sound(self, answer: bytes) -> bool:  # noqa: ARG002 - used where answers are numbers
        return True

    def _hash(self, key: str) -> bytes:
        return blake2b(
            f"{self.fingerprint}\0{key}".encode("utf-8", "surrogatepass"), digest_size=20
        ).digest()

    def _wrapped(self) -> object:
        return self._inner.model

    def __repr__(self) -> str:
        return f"<Cached {self.name}>"


class CachedEmbedder(_Cached[Embedder]):
    _portion = 1 << 18

    def _is_sound(self, answer: bytes) -> bool:
        import numpy as np

        return bool(np.isfinite(np.frombuffer(answer, "<f4")).all())

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        if not texts:
            return self._inner.model.embed(())  # of a shape that only the model knows
        rows = self._ask(
            texts,
            texts,
            lambda part: (row.astype("<f4").tobytes() for row in self._inner.model.embed(part)),
        )
        return np.frombuffer(b"".join(rows), "<f4").reshape(len(texts), -1).astype(np.float32)


class CachedScorer(_Cached[Scorer]):
    _portion = 1 << 17

    def _is_sound(self, answer: bytes) -> bool:
        import numpy as np

        return not np.isnan(np.frombuffer(answer, "<f8")).any()

    def score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        import numpy as np

        answers = self._ask(
            questions,
            list(map(repr, questions)),
            lambda part: (np.array(row, "<f8").tobytes() for row in self._inner.model.score(part)),
        )
        return [tuple(np.frombuffer(answer, "<f8").tolist()) for answer in answers]


class CachedCompleter(_Cached[Completer]):
    _portion = 1 << 16

    def complete(self, prompts: Sequence[str]) -> list[str]:
        return self._ask_texts(
            prompts,
            prompts,
            lambda part: self._inner.model.complete(part),  # noqa: PLW0108 - loads the model when called
        )


class CachedDescriber(_Cached[Describer]):
    """The cache key of a picture is the hash of its bytes and of `about`."""

    _portion = 1 << 13  # about 50 pictures

    def describe(self, pictures: Sequence[Picture]) -> list[str]:
        keys = [f"{blake2b(picture.data).hexdigest()}\0{picture.about}" for picture in pictures]
        return self._ask_texts(
            pictures,
            keys,
            lambda part: self._inner.model.describe(part),  # noqa: PLW0108 - loads the model when called
        )


CACHED: Final[Mapping[str, Callable[[Deferred[Any], Store | None], object]]] = {
    "embedder": CachedEmbedder,
    "scorer": CachedScorer,
    "completer": CachedCompleter,
    "describer": CachedDescriber,
}
"""The caching wrapper of a model for each port."""


def _portions(
    numbers: Sequence[int], lengths: Sequence[int], max_length: int
) -> Iterator[list[int]]:
    """Yield ranges of neighbouring indexes whose lengths sum up to at most `max_length`. A longer
    item is alone in its range.
    """
    portion: list[int] = []
    size = 0
    for number in numbers:
        if portion and size + lengths[number] > max_length:
            yield portion
            portion, size = [], 0
        portion.append(number)
        size += lengths[number]
    if portion:
        yield portion
