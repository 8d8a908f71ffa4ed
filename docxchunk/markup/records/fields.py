"""JSON records, and typed access to the values of records read from files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, TypeVar

import orjson

from docxchunk.errors import SidecarError

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]
Record = dict[str, Json]

_E = TypeVar("_E", bound=StrEnum)
_T = TypeVar("_T")
_WORDS: Mapping[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
}


_DIGITS = re.compile(r"[0-9]{1,9}")


class Fields:
    """A record from an untrusted file. A missing value has a default; a value of a wrong type
    raises SidecarError, which names `place`.

    With `faults`, a value of a wrong type is replaced by the default, or by the number that a
    string like "2" spells, and the message is added to `faults`.
    """

    __slots__ = ("_faults", "_place", "_values")

    def __init__(self, values: object, place: str, faults: list[str] | None = None) -> None:
        self._place = place
        self._faults = faults
        self._values: Mapping[str, object] = values if isinstance(values, Mapping) else {}
        if not isinstance(values, Mapping):
            self._fault(f"{place} holds no JSON object.")

    def lenient(self, faults: list[str]) -> Fields:
        """Return the same record with `faults`."""
        return Fields(self._values, self._place, faults)

    def requiring(self, names: Sequence[str]) -> Fields:
        """Return the record if it has all these keys. Raise SidecarError otherwise; the message
        names the missing ones.
        """
        if missing := [name for name in names if name not in self._values]:
            raise SidecarError(f"{self._place} lacks {', '.join(missing)}.")
        return self

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def as_record(self) -> Record:
        """Return a copy of the values, which `orjson` can write if it has read them."""
        return dict(self._values)  # type: ignore[arg-type]

    def scalars(self) -> dict[str, str | int | float | None]:
        """Return all values that are strings, numbers, booleans or null."""
        return {
            name: value
            for name, value in self._values.items()
            if value is None or isinstance(value, (str, int, float))
        }

    def equals(self, name: str, value: object) -> bool:
        return self._values.get(name) == value

    def text(self, name: str, default: str = "") -> str:
        value = self._values.get(name)
        return default if value is None else self._checked(name, value, str, default)

    def text_or_none(self, name: str) -> str | None:
        return self.text(name) if name in self else None

    def integer(self, name: str, default: int = 0) -> int:
        value = self._values.get(name)
        return default if value is None else self._checked(name, value, int, default)

    def number(self, name: str, default: float = 0.0) -> float:
        value = self._values.get(name)
        return (
            default
            if value is None
            else float(value)
            if isinstance(value, int)
            else self._checked(name, value, float, default)
        )

    def number_or_none(self, name: str) -> float | None:
        return self.number(name) if name in self else None

    def integer_or_none(self, name: str) -> int | None:
        return self.integer(name) if name in self else None

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self._values.get(name)
        return default if value is None else self._checked(name, value, bool, default)

    def member(self, name: str, kind: type[_E], default: _E) -> _E:
        """Return a member of the enumeration; the default if the value is missing or unknown."""
        return self.member_or_none(name, kind) or default

    def member_or_none(self, name: str, kind: type[_E]) -> _E | None:
        try:
            return kind(self.text(name))
        except ValueError:
            return None

    def items(self, name: str) -> Sequence[object]:
        value = self._values.get(name)
        return () if value is None else self._checked(name, value, list, [])

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(self._checked(name, item, str, "") for item in self.items(name))

    def integers(self, name: str) -> tuple[int, ...]:
        return tuple(self._checked(name, item, int, 0) for item in self.items(name))

    def pair(self, name: str, default: tuple[int, int]) -> tuple[int, int]:
        """Return two integers; the default if there are not exactly two."""
        found = self.integers(name)
        return (found[0], found[1]) if len(found) == 2 else default

    def records(self, name: str) -> Iterator[Fields]:
        """Return the objects of a list."""
        return (Fields(item, self._place, self._faults) for item in self.items(name))

    def record(self, name: str) -> Fields:
        """Return an object; an empty one if it is missing."""
        return Fields(self._values.get(name) or {}, self._place, self._faults)

    def named(self) -> Iterator[tuple[str, Fields]]:
        """Return all values of the record, which must be objects, with their keys."""
        return (
            (name, Fields(value, self._place, self._faults)) for name, value in self._values.items()
        )

    def counts(self, name: str) -> dict[str, int]:
        """Return an object with integer values."""
        inner = self.record(name)
        return {key: inner.integer(key) for key in inner}

    def _checked(self, name: str, value: object, kind: type[_T], default: _T) -> _T:
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        self._fault(f'{self._place}: "{name}" must be {_WORDS[kind]}.')
        if kind is int and isinstance(value, str) and _DIGITS.fullmatch(value):
            return kind(value)  # type: ignore[call-arg]
        return default

    def _fault(self, sentence: str) -> None:
        if self._faults is None:
            raise SidecarError(sentence)
        self._faults.append(sentence)


def line(record: Record) -> bytes:
    """Return a record as one line of JSON."""
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


CONTENTS: Final = "contents_sha256"


def with_contents_hash(first: Record, others: Iterable[bytes]) -> Record:
    """Return the first record of a file with the SHA-256 of itself and of the bytes that follow, as
    `contents_sha256`.
    """
    digest = hashlib.sha256(line(first))
    for data in others:
        digest.update(data)
    return {**first, CONTENTS: digest.hexdigest()}


def is_altered(first: Fields, others: Iterable[bytes]) -> bool:
    """Return whether the first record of a file or the bytes that follow differ from those that
    were hashed. Without a hash they count as unaltered.
    """
    record = first.as_record()
    expected = record.pop(CONTENTS, None)
    return expected is not None and with_contents_hash(record, others)[CONTENTS] != expected


def present(**optional: Json) -> Record:
    """Return the fields whose value is not None, empty or False."""
    return {
        name: value
        for name, value in optional.items()
        if value not in (None, "", (), [], {}, False)
    }
